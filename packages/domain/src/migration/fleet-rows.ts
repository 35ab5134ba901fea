import {
  type DeviceUserInput,
  DeviceReference,
  DeviceUserInput as DeviceUserSchema,
  DeviceUserReference,
  type Fault,
  GroupReference,
  Imei,
  LocalPhoneNumber,
  PARSE_OPTIONS,
  text,
  toFaults,
} from '@custodia/contract'
import type { Cells } from './cells.ts'
import { Reader } from './cells.ts'

/** What a row says, or what is wrong with it; in either case what it is called. */
export type Read<T> = { item: string } & (
  | { row: T; faults?: undefined }
  | { row?: undefined; faults: Fault[] }
)

/** A person of the legacy platform. What a row does not say is undefined. */
export interface UserRow {
  device_user_reference: string
  group: string | undefined
  email: string | null | undefined
  first_name: string | null | undefined
  surname: string | null | undefined
  services: DeviceUserInput['services'] | undefined
  expected_device_count: number | undefined
  is_active: boolean | undefined
  onboard_date: number | undefined
  offboard_date: number | undefined
  /** When the legacy platform changed it last. */
  updated_at: number | undefined
}

/** A phone of the legacy platform. */
export interface DeviceRow {
  device_reference: string
  device_user_reference: string | undefined
  legacy_phone_number: string | undefined
  imeis: string[] | undefined
  model: string | undefined
  os_version: string | undefined
  app_version: string | undefined
  is_active: boolean | undefined
  deactivation_date: number | undefined
  /** When it was set up: ProvisionDate, or the first that it recorded. */
  activated_at: number | undefined
  /** When it was heard of last: of LastSms, LastCall and LastSession the latest. */
  last_seen: number | undefined
  /** Since when its person held it. */
  from_date: number | undefined
  updated_at: number | undefined
}

/** A schema of the contract. */
interface Schema {
  safeParse(
    value: unknown,
    options: typeof PARSE_OPTIONS,
  ): { success: boolean; error?: { issues: Parameters<typeof toFaults>[0] } | undefined }
}

/** Checks a value by a schema of the contract, and says what is wrong under the name of its column. */
export function check(reader: Reader, column: string, schema: Schema, value: unknown): void {
  const { error } = schema.safeParse(value, PARSE_OPTIONS)
  if (error) reader.faults.push(...toFaults(error.issues, column))
}

export const result = <T>(reader: Reader, item: string, row: T): Read<T> =>
  reader.faults.length > 0 ? { item, faults: reader.faults } : { item, row }

/** Reads a row of groups. */
export function readGroup(cells: Cells): Read<{ group_reference: string }> {
  const reader = new Reader(cells)
  const group_reference = reader.required('Group').normalize('NFC')
  if (group_reference) check(reader, 'Group', GroupReference, group_reference)
  return result(reader, group_reference, { group_reference })
}

/** Columns of the fields that a person has here as well. */
const USER_COLUMNS: Readonly<Record<string, string>> = {
  group: 'Group',
  services: 'Services',
  expected_device_count: 'ExpectedDeviceCount',
  email: 'Email',
  first_name: 'FirstName',
  surname: 'Surname',
  is_active: 'IsActive',
}

/** Reads a row of people. */
export function readUser(cells: Cells): Read<UserRow> {
  const reader = new Reader(cells)
  const device_user_reference = reader.required('UserReference')
  if (device_user_reference) check(reader, 'UserReference', DeviceUserReference, device_user_reference)
  const services = reader.list('Services')
  const stated = {
    group: reader.text('Group')?.normalize('NFC'),
    services: services as DeviceUserInput['services'] | undefined,
    expected_device_count: reader.number('ExpectedDeviceCount'),
    email: reader.text('Email'),
    first_name: reader.text('FirstName'),
    surname: reader.text('Surname'),
  }
  const offboard_date = reader.time('OffboardDate')
  // Somebody who has left is nobody who is recorded, whether the row says so or not.
  const is_active = reader.yes('IsActive') ?? (offboard_date === undefined ? undefined : false)
  const row = {
    device_user_reference,
    ...stated,
    is_active,
    onboard_date: reader.time('OnboardDate'),
    offboard_date,
    updated_at: reader.time('UpdatedAt'),
  }
  const whole = { group: 'none', services: [], email: null, first_name: null, surname: null }
  const given = Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined))
  const parsed = DeviceUserSchema.safeParse({ ...whole, ...given }, PARSE_OPTIONS)
  if (!parsed.success)
    for (const each of toFaults(parsed.error.issues)) {
      const [field = '', ...rest] = each.path.split('.')
      reader.faults.push({ ...each, path: [USER_COLUMNS[field] ?? field, ...rest].join('.') })
    }
  return result(reader, device_user_reference, row)
}

/** Reads a row of phones. */
export function readDevice(cells: Cells): Read<DeviceRow> {
  const reader = new Reader(cells)
  const device_reference = reader.required('DeviceReference')
  if (device_reference) check(reader, 'DeviceReference', DeviceReference, device_reference)
  const legacy_phone_number = reader.text('legacy_phone_number') ?? reader.text('PhoneNumber')
  if (legacy_phone_number !== undefined)
    check(reader, 'legacy_phone_number', LocalPhoneNumber, legacy_phone_number)
  const imeis = reader.list('Imeis')
  for (const imei of imeis ?? []) check(reader, 'Imeis', Imei, imei)
  const brief = (column: string) => {
    const value = reader.text(column)
    if (value !== undefined) check(reader, column, text(1, 255), value)
    return value
  }
  const times = (columns: readonly string[]) => columns.flatMap((column) => reader.time(column) ?? [])
  const first = times(['FirstSms', 'FirstCall'])
  const last = times(['LastSms', 'LastCall', 'LastSession'])
  // Nobody holds it from then on.
  const to_date = reader.time('ToDate')
  const deactivation_date = reader.time('DeactivationDate') ?? to_date
  return result(reader, device_reference, {
    device_reference,
    device_user_reference: reader.text('UserReference'),
    legacy_phone_number,
    imeis,
    model: brief('Model'),
    os_version: brief('OsVersion'),
    app_version: brief('AppVersion'),
    is_active: reader.yes('IsActive') ?? (deactivation_date === undefined ? undefined : false),
    deactivation_date,
    activated_at: reader.time('ProvisionDate') ?? (first.length > 0 ? Math.min(...first) : undefined),
    last_seen: last.length > 0 ? Math.max(...last) : undefined,
    from_date: reader.time('FromDate'),
    updated_at: reader.time('UpdatedAt'),
  })
}
