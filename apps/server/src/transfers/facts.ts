import { csvText, type TransferRun } from '@custodia/contract'
import type { ItemPayload } from './item-store.ts'

/** File names of a report. */
export const reportNames = ({ transfer_id }: Pick<TransferRun, 'transfer_id'>) => ({
  csv: `report-${transfer_id}.csv`,
  json: `report-${transfer_id}.json`,
})

const time = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString()

/** Exported metadata of a payload. */
const factsOf = (payload: ItemPayload) => ({
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
): Buffer => Buffer.from(`${JSON.stringify({ ...factsOf(payload), ...more }, undefined, 2)}\n`)

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
      JSON.stringify(factsOf(payload), undefined, 2).replaceAll('\n', '\n    '),
    )
    yield Buffer.from(`${isFirst ? '' : ','}\n    ${lines.join(',\n    ')}`)
    isFirst = false
  }
  yield Buffer.from(`${isFirst ? '' : '\n  '}${tail}\n`)
}

/** Report as a CSV stream (RFC 4180); an apostrophe escapes formulas. */
export async function* csvReport(pages: AsyncIterable<readonly ItemPayload[]>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${Object.keys(factsOf(BLANK)).join()}\r\n`)
  for await (const page of pages)
    yield Buffer.from(
      page.map((payload) => `${Object.values(factsOf(payload)).map(cell).join()}\r\n`).join(''),
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
