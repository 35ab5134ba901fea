import type { MigrationState } from '@custodia/contract'
import { raiseAlert, settleAlert } from '../alerts/raise.ts'
import { failedBefore, settleRuns } from './store.ts'
import type { Tx } from '../ports/database/lease.ts'

/** Raises an alert on a failed or partial run; a successful run clears the earlier alerts. */
export async function alertOnRun(
  tx: Tx,
  migration_reference: string,
  {
    migration_state,
    errors,
    retry_of,
    now,
  }: { migration_state: MigrationState; errors: number; retry_of: string | null; now: number },
): Promise<void> {
  if (migration_state === 'Migrated') {
    const over = await failedBefore(tx, retry_of)
    await settleRuns(tx, over, migration_reference)
    for (const reference of over)
      await settleAlert(tx, {
        alert_scopes: ['ops', 'sec'],
        alert_targets: ['client'],
        alert_key: `migration ${reference}`,
        now,
      })
    return
  }
  const isInfected = migration_state === 'Quarantined'
  await raiseAlert(tx, {
    alert_scopes: isInfected ? ['ops', 'sec'] : ['ops'],
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_type: 'MigrationAlert',
    alert_key: `migration ${migration_reference}`,
    text: isInfected ? 'migration_quarantined' : 'migration_failed',
    alert_severity: 'High',
    values: isInfected ? {} : { errors: String(errors) },
    related_entities: [{ entity_id: migration_reference, entity_type: 'Migration' }],
    now,
  })
}
