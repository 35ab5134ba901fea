import {
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
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { attempt, rehearse } from '../ports/database/savepoint.ts'
import { addUser, changeUser, type Licenses, readLicenses } from './save.ts'
import { type DeviceUserRecord, findUser } from './store.ts'

type Told = ImportAnswer['rows'][number]

/** Adds and changes people line by line; a line that is refused leaves the others as they are. */
export const importDeviceUsers: Handler<'importDeviceUsers'> = (context, { body }) =>
  context.write((tx) => importRows(context, tx, body.rows))

/** The same, undone. */
export const reviewDeviceUserImport: Handler<'reviewDeviceUserImport'> = (context, { body }) =>
  context.write((tx) => rehearse(tx, () => importRows(context, tx, body.rows)))

async function importRows(context: PortalContext, tx: Tx, rows: readonly ImportRow[]): Promise<ImportAnswer> {
  const seen = new Set<string>()
  const told: Told[] = []
  // Whoever is new uses none: they are the same for all of them until somebody known is changed.
  let licenses = await readLicenses(tx)
  for (const row of rows) {
    const each = await importRow(context, tx, { row, seen, licenses })
    if (each.outcome === 'updated') licenses = await readLicenses(tx)
    told.push(each)
  }
  return { rows: told }
}

async function importRow(
  context: PortalContext,
  tx: Tx,
  { row, seen, licenses }: { row: ImportRow; seen: Set<string>; licenses: Licenses },
): Promise<Told> {
  const reference = DeviceUserReference.safeParse(row.device_user_reference, PARSE_OPTIONS)
  if (!reference.success) return refused(toFaults(reference.error.issues, 'device_user_reference'))
  if (seen.has(reference.data)) return refused([fault('device_user_reference', 'not_unique')])
  seen.add(reference.data)
  try {
    return await attempt(tx, () => saveRow(context, tx, { reference: reference.data, row, licenses }))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { code, faults } = error
    return { ...refused(faults), ...(faults.length === 0 && { problem: code }) }
  }
}

const refused = (faults: readonly Fault[]): Told => ({ outcome: 'refused', faults: [...faults] })

async function saveRow(
  context: PortalContext,
  tx: Tx,
  { reference, row, licenses }: { reference: string; row: ImportRow; licenses: Licenses },
): Promise<Told> {
  const { access } = context.caller
  const stored = await findUser(tx, reference, true)
  const known = stored && access.permits('users:update', stored) ? stored : undefined
  const input = DeviceUserInput.safeParse(inputOf(row, known), PARSE_OPTIONS)
  if (!input.success) return refused(toFaults(input.error.issues))
  if (known && isSame(known, input.data)) return { outcome: 'unchanged', faults: [] }
  if (known) await changeUser(context, tx, known, input.data)
  else await addUser(context, tx, reference, input.data, licenses)
  return { outcome: known ? 'updated' : 'created', faults: [] }
}

const FIELDS = Object.keys(DeviceUserInput.def.shape) as (keyof Input)[]
const isSame = (known: DeviceUserRecord, input: Input): boolean =>
  FIELDS.every((field) => JSON.stringify(known[field]) === JSON.stringify(input[field]))

/** A line as a save takes it; what it does not say is as it was. */
function inputOf(row: ImportRow, known: DeviceUserRecord | undefined): Record<keyof Input, unknown> {
  const said = (column: keyof ImportRow) => row[column]?.trim() || undefined
  const orNone = (column: 'email' | 'first_name' | 'surname') =>
    row[column] === undefined ? (known?.[column] ?? null) : (said(column) ?? null)
  const services = said('services')
  const count = said('expected_device_count')
  return {
    group: said('group') ?? known?.group,
    services: services === undefined ? (known?.services ?? []) : listOf(services),
    expected_device_count: count === undefined ? known?.expected_device_count : numberOf(count),
    email: orNone('email'),
    first_name: orNone('first_name'),
    surname: orNone('surname'),
    is_active: wordOf(said('is_active')) ?? known?.is_active,
  }
}

const listOf = (text: string): string[] => text.split(/[;,|\s]+/).filter((part) => part !== '')
/** What is no number stays a text, which the schema refuses. */
const numberOf = (text: string): number | string => (/^\d{1,9}$/.test(text) ? Number(text) : text)
const YES = /^(?:true|yes|sim|1)$/i
const NO = /^(?:false|no|não|nao|0)$/i
const wordOf = (text: string | undefined): boolean | string | undefined =>
  text === undefined ? undefined : YES.test(text) ? true : NO.test(text) ? false : text
