import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { Fault, RowProblem } from './faults.ts'
import { inClient } from './paging.ts'
import { text } from './scalars.ts'

/** Lines of one call; a portal sends a longer file in parts. */
export const IMPORT_ROWS_LIMIT = 500
/** Characters of a cell: more than any field takes, so that what is too long is a fault of its line. */
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
 * A line as it was written. A column that the file has not leaves what is known as it is, and an empty cell too, but for names and the
 * address: there it means that there is none. Services are separated by semicolons.
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

/** What became of each line, or would. */
const ImportAnswer = z.strictObject({
  rows: z.array(
    z.strictObject({
      outcome: z.enum(IMPORT_OUTCOMES),
      /** Why the row was refused, apart from faults of its cells. */
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
    summary:
      'Adds and changes device users line by line; a line that is refused leaves the others as they are',
  },
  reviewDeviceUserImport: {
    ...importing,
    path: 'user_imports/review',
    action: 'users:review',
    summary: 'What importing these lines would do; nothing is changed',
  },
})
