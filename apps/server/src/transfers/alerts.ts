import type { TransferRun } from '@custodia/contract'
import type { PayloadReach } from '@custodia/domain'
import { type AlertEvent, raiseAlert, settleAlert } from '../alerts/raise.ts'
import type { Tx } from '../ports/database/lease.ts'

type About = Pick<TransferRun, 'transfer_config_reference'>
type Text =
  | 'transfer_failed'
  | 'transfer_host_key'
  | 'transfer_late'
  | 'transfer_role_narrowed'
  | 'transfer_key_expires'
  | 'transfer_unreconciled'

const eventOf = (text: Text, { transfer_config_reference: config }: About, now: number) =>
  ({
    alert_scopes:
      text === 'transfer_host_key' || text === 'transfer_role_narrowed' ? ['ops', 'sec'] : ['ops'],
    alert_targets: ['client'],
    alert_key: `${text} ${config}`,
    now,
  }) satisfies Pick<AlertEvent, 'alert_scopes' | 'alert_targets' | 'alert_key' | 'now'>

/** Raises an alert on the transfers of a config. */
export async function alertOnConfig(
  tx: Tx,
  text: Text,
  about: About & Partial<Pick<TransferRun, 'transfer_id'>>,
  { now, ...values }: { now: number } & Record<string, string | number>,
): Promise<void> {
  await raiseAlert(tx, {
    ...eventOf(text, about, now),
    text,
    alert_type: 'TransferAlert',
    alert_key_type: 'Scoped',
    alert_severity: text === 'transfer_key_expires' ? 'Medium' : 'High',
    values: {
      config: about.transfer_config_reference,
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
    },
    related_entities:
      about.transfer_id === undefined ? [] : [{ entity_id: about.transfer_id, entity_type: 'Transfer' }],
  })
}

/** Raises an alert on a run with failures. */
export async function alertOnRun(
  tx: Tx,
  run: TransferRun,
  { at, failed, error_message }: { at: number; failed: number; error_message: string | null },
): Promise<void> {
  const isOther = error_message?.startsWith('host_key_changed') === true
  await (isOther
    ? alertOnConfig(tx, 'transfer_host_key', run, { now: at })
    : alertOnConfig(tx, 'transfer_failed', run, { now: at, failed }))
}

/** Alert: a config delivers less than before because its role lost rights. */
export async function raiseLossAlert(
  tx: Tx,
  run: TransferRun,
  lost: PayloadReach,
  now: number,
): Promise<void> {
  const groups = lost.map((part) => part.groups)
  const count = groups.some((each) => each === 'all') ? '*' : new Set(groups.flat()).size
  const types = lost.flatMap((part) => part.types).join(', ')
  await alertOnConfig(tx, 'transfer_role_narrowed', run, { now, types, groups: count })
}

/** A successful run clears the alerts of earlier ones. */
export async function settleRun(tx: Tx, run: About, now: number): Promise<void> {
  for (const text of ['transfer_failed', 'transfer_host_key', 'transfer_late'] as const)
    await settleAlert(tx, eventOf(text, run, now))
}

/** Clears the alert when all reconciliations are on the target. */
export const settleReconciliation = (tx: Tx, config: About, now: number): Promise<void> =>
  settleAlert(tx, eventOf('transfer_unreconciled', config, now))
