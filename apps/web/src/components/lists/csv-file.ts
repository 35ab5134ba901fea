import type { Page } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { BYTE_ORDER_MARK, csvLines, separatorFor } from './csv.ts'
import type { CsvColumn, Paging } from './list-definition.ts'

/** Maximum rows of one CSV file. */
export const CSV_LIMIT = 10_000
/** Rows per request: the maximum page size. */
const CSV_PAGE = 200

const lines = <Row>(rows: readonly Row[], columns: readonly CsvColumn<Row>[], locale: string) =>
  csvLines(
    rows.map((row) => columns.map(({ value }) => value(row))),
    separatorFor(locale),
  )

const heading = <Row>(columns: readonly CsvColumn<Row>[], i18n: Pick<I18n, '_' | 'locale'>) =>
  BYTE_ORDER_MARK +
  csvLines(
    [columns.map(({ label, unit }) => `${i18n._(label)}${unit === undefined ? '' : ` (${unit})`}`)],
    separatorFor(i18n.locale),
  )

/** The CSV file of `rows`, as Blob parts. */
export const csvOfRows = <Row>(
  rows: readonly Row[],
  columns: readonly CsvColumn<Row>[],
  i18n: Pick<I18n, '_' | 'locale'>,
): string[] => [heading(columns, i18n), lines(rows, columns, i18n.locale)]

/**
 * Reads all pages of a list up to the limit into a CSV file. `onProgress` receives the number of rows so far.
 * @throws the error of a failed page, and an AbortError when `signal` aborts
 */
export async function csvOfPages<Row>(
  readPage: (paging: Paging, signal: AbortSignal) => Promise<Page<Row>>,
  columns: readonly CsvColumn<Row>[],
  i18n: Pick<I18n, '_' | 'locale'>,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
): Promise<{ parts: string[]; rows: number; isCut: boolean }> {
  const parts = [heading(columns, i18n)]
  let rows = 0
  let last_key: string | undefined
  do {
    signal.throwIfAborted()
    const page = await readPage({ limit: Math.min(CSV_PAGE, CSV_LIMIT - rows), last_key }, signal)
    signal.throwIfAborted()
    parts.push(lines(page.data, columns, i18n.locale))
    rows += page.data.length
    last_key = page.last_key
    onProgress(rows)
  } while (last_key !== undefined && rows < CSV_LIMIT)
  return { parts, rows, isCut: last_key !== undefined }
}
