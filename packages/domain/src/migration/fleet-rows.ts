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

/** A row or its faults, with its name. */
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

/** A device of the legacy platform. */
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
  // A person who has left is inactive, whatever the row says.
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

/** Reads a row of devices. */
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
  // The device has no holder from then on.
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

/** A person as they are known here. */
export interface KnownUser {
  group: string
  email: string | null
  first_name: string | null
  surname: string | null
  services: readonly string[]
  expected_device_count: number
  is_active: boolean
  is_legacy: boolean
  is_held: boolean
  /** When the legacy platform had changed it, as it was imported. */
  legacy_updated_at: number | null
}

/** A device as it is known here. */
export interface KnownDevice {
  device_user_reference: string | null
  legacy_phone_number: string | null
  imeis: readonly string[]
  model: string | null
  os_version: string | null
  app_version: string | null
  is_active: boolean
  /** Services of its holder for which no licence was left. */
  unlicensed_services: readonly string[]
  is_legacy: boolean
  legacy_updated_at: number | null
}

/** The person that a row makes of the known one. */
export function getUser(row: UserRow, known: KnownUser | undefined, default_group: string): KnownUser {
  return {
    group: row.group ?? known?.group ?? default_group,
    email: row.email ?? known?.email ?? null,
    first_name: row.first_name ?? known?.first_name ?? null,
    surname: row.surname ?? known?.surname ?? null,
    services: row.services ?? known?.services ?? [],
    expected_device_count: row.expected_device_count ?? known?.expected_device_count ?? 1,
    is_active: row.is_active ?? known?.is_active ?? true,
    is_legacy: true,
    is_held: known?.is_held ?? false,
    legacy_updated_at: row.updated_at ?? known?.legacy_updated_at ?? null,
  }
}

/** The device that a row makes of the known one. */
export function getDevice(row: DeviceRow, known: KnownDevice | undefined): KnownDevice {
  return {
    device_user_reference: row.device_user_reference ?? known?.device_user_reference ?? null,
    legacy_phone_number: row.legacy_phone_number ?? known?.legacy_phone_number ?? null,
    imeis: row.imeis ?? known?.imeis ?? [],
    model: row.model ?? known?.model ?? null,
    os_version: row.os_version ?? known?.os_version ?? null,
    app_version: row.app_version ?? known?.app_version ?? null,
    is_active: row.is_active ?? known?.is_active ?? true,
    unlicensed_services: known?.unlicensed_services ?? [],
    is_legacy: true,
    legacy_updated_at: row.updated_at ?? known?.legacy_updated_at ?? null,
  }
}

/** Whether the row is older than the known record. */
export const isOlder = (stated: number | undefined, known: number | null): boolean =>
  stated !== undefined && known !== null && stated < known

/** Whether a row changes only its time of change. */
export const isSame = (known: object, stated: object): boolean => {
  const plain = (value: object) =>
    JSON.stringify({ ...value, legacy_updated_at: null }, Object.keys(value).sort())
  return plain(known) === plain(stated)
}
