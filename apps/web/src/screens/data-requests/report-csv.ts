import type { DataRequest, DataRequestReport } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import {
  BYTE_ORDER_MARK,
  csvLines,
  csvTime,
  type CsvValue,
  separatorFor,
} from '../../components/lists/csv.ts'
import { reasonKept, reasonRecordsStay } from './reason-kept.ts'

/** CSV headings; they use the field names of the API, so that readers find them in its description. */
const HEADINGS = [
  'what',
  'kind',
  'count',
  'first_at',
  'last_at',
  'delete_from',
  'delete_to',
  'destroy_from',
  'destroy_to',
  'held',
  'why',
]

/** The report as a CSV file, one line per row. */
export function reportLines(
  { data_request_id, subject }: Pick<DataRequest, 'data_request_id' | 'subject'>,
  { at, is_confined, payloads, destroyed, records }: DataRequestReport,
  i18n: I18n,
): string {
  const when = (span: { earliest: number; latest: number } | null) => [
    csvTime(span?.earliest),
    csvTime(span?.latest),
  ]
  const rows: CsvValue[][] = [
    ['data_request_id', data_request_id],
    ['subject', subject],
    ['at', csvTime(at)],
    ['is_confined', is_confined],
    HEADINGS,
    ...payloads.map((row) => [
      'payloads',
      row.payload_type,
      row.count,
      csvTime(row.first_at),
      csvTime(row.last_at),
      ...when(row.delete_at),
      ...when(row.destroy_at),
      row.held,
      reasonKept(i18n, row).join(' '),
    ]),
    ...(destroyed ?? []).map((row) => [
      'destroyed',
      row.payload_type,
      row.count,
      csvTime(row.first_at),
      csvTime(row.last_at),
    ]),
    ...(records ?? []).map((row) => [
      'records',
      row.kind,
      row.count,
      csvTime(row.first_at),
      csvTime(row.last_at),
      undefined,
      undefined,
      ...when(row.destroy_at),
      row.held,
      reasonRecordsStay(i18n, row).join(' '),
    ]),
  ]
  return BYTE_ORDER_MARK + csvLines(rows, separatorFor(i18n.locale))
}
