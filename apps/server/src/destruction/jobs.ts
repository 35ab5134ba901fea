import { raiseAlert, settleAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { periodicJob } from '../jobs/kind.ts'
import { issueCertificates } from './certificates/issue.ts'
import { finishDestructions } from './finish.ts'
import { findUnfinished } from './ledger-store.ts'
import { replayLedger } from './replay.ts'

/** Finishes committed destructions and issues certificates. A failing client does not delay the others. */
export const finishDestruction = periodicJob({
  name: 'destruction.finish',
  every: 60,
  async run(ctx, _input, signal) {
    const failures: unknown[] = []
    await replayLedger(ctx).catch((error: unknown) => failures.push(error))
    for (const client of await listClients(ctx.db)) {
      signal.throwIfAborted()
      const failed = (error: unknown) => void failures.push(error)
      await finishDestructions(ctx, client, signal).catch(failed)
      await issueCertificates(ctx, client, signal).catch(failed)
      await alertOnUnfinished(ctx, client.client_id).catch(failed)
    }
    if (failures.length > 0)
      throw new AggregateError(failures, 'Destructions of some clients are not finished.')
  },
})

/** Minutes in which a destruction should finish. */
const MINUTES = 15

/** Raises or clears the alert on unfinished destructions. */
async function alertOnUnfinished(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  client_id: number,
): Promise<void> {
  const { count, since } = await db.read(client_id, findUnfinished)
  const event = {
    alert_scopes: ['ops' as const],
    alert_targets: ['client' as const, 'admin' as const],
    alert_key: 'destruction_unfinished',
    now: now(),
  }
  await db.write(client_id, (tx) =>
    since === null || since > event.now - MINUTES * 60
      ? settleAlert(tx, event)
      : raiseAlert(tx, {
          ...event,
          text: 'destruction_unfinished',
          values: { count: String(count), minutes: String(MINUTES) },
          alert_type: 'AccountAlert',
          alert_severity: 'High',
          related_entities: [{ entity_id: 'policy', entity_type: 'Retention' }],
        }),
  )
}
