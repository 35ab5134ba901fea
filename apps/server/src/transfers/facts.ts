import { csvText, type TransferRun } from '@custodia/contract'
import type { PayloadReach } from '@custodia/domain'
import { type AlertEvent, raiseAlert, settleAlert } from '../alerts/raise.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { ItemPayload } from './item-store.ts'

/** File names of a report. */
export const reportNames = ({ transfer_id }: Pick<TransferRun, 'transfer_id'>) => ({
  csv: `report-${transfer_id}.csv`,
  json: `report-${transfer_id}.json`,
})

const time = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString()

/** Exported metadata of a payload. */
const getFacts = (payload: ItemPayload) => ({
  payload_reference: payload.payload_reference,
  payload_type: payload.payload_type,
  payload_time: time(payload.payload_time),
  payload_end_time: time(payload.payload_end_time),
  processed_at: time(payload.processed_at),
  device_reference: payload.device_reference,
  device_user_reference: payload.device_user_reference,
  group: payload.group,
  is_late: payload.is_late,
})

/** Metadata file of a payload. */
export const factsFile = (
  payload: ItemPayload,
  more: {
    meta: Record<string, unknown>
    content_type: string
    size: number
    encrypted_checksum: string
    decrypted_checksum: string
  },
): Buffer => Buffer.from(`${JSON.stringify({ ...getFacts(payload), ...more }, undefined, 2)}\n`)

/** Report as a JSON stream. */
export async function* jsonReport(
  { report_from, report_to }: Pick<TransferRun, 'report_from' | 'report_to'>,
  pages: AsyncIterable<readonly ItemPayload[]>,
): AsyncGenerator<Buffer> {
  const frame = { report_from: time(report_from), report_to: time(report_to), payloads: [] }
  const [head = '', tail = ''] = JSON.stringify(frame, undefined, 2).split(/(?<=\[)(?=\])/)
  yield Buffer.from(head)
  let isFirst = true
  for await (const page of pages) {
    const lines = page.map((payload) =>
      JSON.stringify(getFacts(payload), undefined, 2).replaceAll('\n', '\n    '),
    )
    yield Buffer.from(`${isFirst ? '' : ','}\n    ${lines.join(',\n    ')}`)
    isFirst = false
  }
  yield Buffer.from(`${isFirst ? '' : '\n  '}${tail}\n`)
}

/** Report as a CSV stream (RFC 4180); an apostrophe escapes formulas. */
export async function* csvReport(pages: AsyncIterable<readonly ItemPayload[]>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${Object.keys(getFacts(BLANK)).join()}\r\n`)
  for await (const page of pages)
    yield Buffer.from(
      page.map((payload) => `${Object.values(getFacts(payload)).map(cell).join()}\r\n`).join(''),
    )
}

function cell(value: string | boolean | null): string {
  const safe = csvText(String(value ?? ''))
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const BLANK: ItemPayload = {
  payload_id: 0,
  payload_reference: '',
  payload_type: 'Call',
  payload_time: 0,
  payload_end_time: null,
  processed_at: null,
  device_reference: '',
  device_user_reference: null,
  group_id: 0,
  group: '',
  is_late: false,
}

type About = Pick<TransferRun, 'transfer_config_reference'>
type Text =
  | 'transfer_failed'
  | 'transfer_host_key'
  | 'transfer_late'
  | 'transfer_role_narrowed'
  | 'transfer_key_expires'
  | 'transfer_unreconciled'

const getEvent = (text: Text, { transfer_config_reference: config }: About, now: number) =>
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
    ...getEvent(text, about, now),
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
    await settleAlert(tx, getEvent(text, run, now))
}

/** Clears the alert when all reconciliations are on the target. */
export const settleReconciliation = (tx: Tx, config: About, now: number): Promise<void> =>
  settleAlert(tx, getEvent('transfer_unreconciled', config, now))
