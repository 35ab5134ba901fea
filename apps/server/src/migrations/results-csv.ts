import { csvText, type MigrationResult } from '@custodia/contract'

const COLUMNS = [
  'sequence',
  'result_class',
  'result_type',
  'kind',
  'item',
  'filename',
  'line',
  'payload_reference',
] as const

const cell = (value: string | number | null): string =>
  `"${csvText(String(value ?? '')).replaceAll('"', '""')}"`

/** Heading of the results CSV. */
export const RESULTS_HEADING = [...COLUMNS, 'faults'].join(',')

/** A result as a CSV line, without its end. */
export const resultLine = (result: MigrationResult): string =>
  [
    ...COLUMNS.map((column) => cell(result[column])),
    cell(result.faults.map(({ path, message }) => `${path}: ${message}`).join(' ')),
  ].join(',')
