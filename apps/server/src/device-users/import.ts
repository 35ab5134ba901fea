import {
  DEVICE_SERVICES,
  DeviceUserInput,
  DeviceUserReference,
  type DeviceUserInput as Input,
  type Fault,
  fault,
  type ImportAnswer,
  type ImportRow,
  PARSE_OPTIONS,
  toFaults,
} from '@custodia/contract'
import type { Handler, PortalContext } from '../http/context.ts'
import type { Problem } from '../http/problem.ts'
import { rehearse, type Tx } from '../ports/database/lease.ts'
import { isSame, saveUsers, type UserToSave } from './save-users.ts'
import { type DeviceUserRecord, findUsers } from './store.ts'

type Result = ImportAnswer['rows'][number]

/** Imports device users row by row; a refused row does not affect the others. */
export const importDeviceUsers: Handler<'importDeviceUsers'> = (context, { body }) =>
  context.write((tx) => importRows(context, tx, body.rows))

/** Previews the import and rolls it back. */
export const reviewDeviceUserImport: Handler<'reviewDeviceUserImport'> = (context, { body }) =>
  context.write((tx) => rehearse(tx, () => importRows(context, tx, body.rows)))

async function importRows(context: PortalContext, tx: Tx, rows: readonly ImportRow[]): Promise<ImportAnswer> {
  const references = rows.map((row) =>
    DeviceUserReference.safeParse(row.device_user_reference, PARSE_OPTIONS),
  )
  const stored = new Map(
    (
      await findUsers(
        tx,
        references.flatMap((each) => each.data ?? []),
        true,
      )
    ).map((user) => [user.device_user_reference, user]),
  )
  const seen = new Set<string>()
  const result: Result[] = []
  const saves: (UserToSave & { at: number })[] = []
  for (const [at, row] of rows.entries()) {
    const reference = references[at]
    if (!reference?.success)
      result[at] = refused(toFaults(reference?.error.issues ?? [], 'device_user_reference'))
    else if (seen.has(reference.data)) result[at] = refused([fault('device_user_reference', 'not_unique')])
    else {
      seen.add(reference.data)
      const { result: line, input, known } = getLine(context, row, stored.get(reference.data))
      result[at] = line
      if (input) saves.push({ at, device_user_reference: reference.data, body: input, known })
    }
  }
  const problems = await saveUsers(context, tx, saves)
  for (const [i, { at }] of saves.entries()) {
    const problem = problems[i]
    if (problem) result[at] = refusedBy(problem)
  }
  return { rows: result }
}

const refused = (faults: readonly Fault[]): Result => ({ outcome: 'refused', faults: [...faults] })
const refusedBy = ({ code, faults }: Problem): Result => ({
  ...refused(faults),
  ...(faults.length === 0 && { problem: code }),
})

interface Line {
  /** Result if the save succeeds. */
  result: Result
  input?: Input
  /** The stored user; undefined for a new one. */
  known?: DeviceUserRecord | undefined
}

function getLine({ caller }: PortalContext, row: ImportRow, stored: DeviceUserRecord | undefined): Line {
  const known = stored && caller.access.permits('users:update', stored) ? stored : undefined
  const input = DeviceUserInput.safeParse(getInput(row, known), PARSE_OPTIONS)
  if (!input.success) return { result: refused(toFaults(input.error.issues)) }
  if (known && isSame(known, input.data)) return { result: { outcome: 'unchanged', faults: [] } }
  return { result: { outcome: known ? 'updated' : 'created', faults: [] }, input: input.data, known }
}

/** Save input of a row; missing columns keep their values. */
function getInput(row: ImportRow, known: DeviceUserRecord | undefined): Record<keyof Input, unknown> {
  const trimmed = (column: keyof ImportRow) => row[column]?.trim() || undefined
  const orNone = (column: 'email' | 'first_name' | 'surname') =>
    row[column] === undefined ? (known?.[column] ?? null) : (trimmed(column) ?? null)
  const services = trimmed('services')
  const count = trimmed('expected_device_count')
  return {
    group: trimmed('group') ?? known?.group,
    services: services === undefined ? (known?.services ?? DEVICE_SERVICES) : getList(services),
    expected_device_count: count === undefined ? known?.expected_device_count : getNumber(count),
    email: orNone('email'),
    first_name: orNone('first_name'),
    surname: orNone('surname'),
    is_active: getWord(trimmed('is_active')) ?? known?.is_active,
  }
}

const getList = (text: string): string[] => text.split(/[;,|\s]+/).filter((part) => part !== '')
/** Text that is not a number fails the schema. */
const getNumber = (text: string): number | string => (/^\d{1,9}$/.test(text) ? Number(text) : text)
const YES = /^(?:true|yes|sim|1)$/i
const NO = /^(?:false|no|não|nao|0)$/i
const getWord = (text: string | undefined): boolean | string | undefined =>
  text === undefined ? undefined : YES.test(text) ? true : NO.test(text) ? false : text
