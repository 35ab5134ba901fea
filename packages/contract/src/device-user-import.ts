import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { Fault, RowProblem } from './faults.ts'
import { inClient } from './paging.ts'
import { text } from './scalars.ts'

/** Maximum lines of one call; the portal sends a longer file in parts. */
export const IMPORT_ROWS_LIMIT = 500
/** Maximum characters of a cell. It exceeds every field, so that a long value is a fault of its line only. */
export const IMPORT_CELL_LIMIT = 300

/** The columns of a file of device users, as its first line names them. */
export const IMPORT_COLUMNS = [
  'device_user_reference',
  'group',
  'services',
  'expected_device_count',
  'email',
  'first_name',
  'surname',
  'is_active',
] as const
export type ImportColumn = (typeof IMPORT_COLUMNS)[number]

const cell = z.optional(text(0, IMPORT_CELL_LIMIT))

/**
 * A line of the file. A missing column or an empty cell leaves the value unchanged, but an empty name or address
 * removes it. Semicolons separate services.
 */
const ImportRow = z.strictObject({
  device_user_reference: cell,
  group: cell,
  services: cell,
  expected_device_count: cell,
  email: cell,
  first_name: cell,
  surname: cell,
  is_active: cell,
} satisfies Record<ImportColumn, typeof cell>)
export type ImportRow = z.output<typeof ImportRow>

export const IMPORT_OUTCOMES = ['created', 'updated', 'unchanged', 'refused'] as const

/** Actual or previewed outcome of each line. */
const ImportAnswer = z.strictObject({
  rows: z.array(
    z.strictObject({
      outcome: z.enum(IMPORT_OUTCOMES),
      /** Reason for the refusal, other than faults of cells. */
      problem: z.optional(RowProblem),
      faults: z.array(Fault),
    }),
  ),
})
export type ImportAnswer = z.output<typeof ImportAnswer>

const importing = {
  method: 'POST',
  portal: 'admin',
  authentication: 'portal',
  concerns: 'groups',
  params: inClient,
  body: z.strictObject({
    rows: z.array(ImportRow).check(z.minLength(1), z.maxLength(IMPORT_ROWS_LIMIT)),
  }),
  bodyLimit: 4 * 1024 ** 2,
  response: ImportAnswer,
} as const

export const deviceUserImportEndpoints = endpoints({
  importDeviceUsers: {
    ...importing,
    path: 'user_imports',
    action: 'users:import',
    summary: 'Import device users line by line; valid lines take effect',
  },
  reviewDeviceUserImport: {
    ...importing,
    path: 'user_imports/review',
    action: 'users:review',
    summary: 'Preview an import of device users',
  },
})
