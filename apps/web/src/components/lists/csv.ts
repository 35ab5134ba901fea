import { csvText } from '@custodia/contract'
import { download } from '../../ui/files.ts'

/** Value of a CSV cell. Numbers stay numbers; all else is untrusted text. */
export type CsvValue = string | number | boolean | undefined | null

/** Byte order mark: tells spreadsheets that the file is UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** Spreadsheets split at semicolons where the comma is the decimal separator. */
export const separatorFor = (locale: string): ',' | ';' => (locale === 'pt-BR' ? ';' : ',')

/** One cell: an apostrophe neutralises formulas; quotes are doubled (RFC 4180). */
export function csvCell(value: CsvValue, separator: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = csvText(value)
  return safe.includes(separator) || /["\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** CSV lines, each ended by CR LF (RFC 4180). */
export const csvLines = (rows: readonly (readonly CsvValue[])[], separator: string): string =>
  rows.map((row) => `${row.map((value) => csvCell(value, separator)).join(separator)}\r\n`).join('')

/** Epoch seconds as ISO 8601 in UTC, without fractions. */
export const csvTime = (seconds: number | null | undefined): string | undefined =>
  seconds === undefined || seconds === null
    ? undefined
    : `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`

/** Downloads lines of text as a CSV file for spreadsheets. */
export const saveCsv = (name: string, rows: readonly (readonly CsvValue[])[], locale: string): void =>
  download([BYTE_ORDER_MARK, csvLines(rows, separatorFor(locale))], name, {
    type: 'text/csv;charset=utf-8',
    ending: 'csv',
  })
