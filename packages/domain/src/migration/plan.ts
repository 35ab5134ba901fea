import {
  type DeviceService,
  type Fault,
  fault,
  hasInvisible,
  isDataless,
  type LicenseLimits,
  type MigrationResultType,
  PAYLOAD_SIZE_LIMIT,
  RESERVED_GROUP,
  type TagDefinition,
} from '@custodia/contract'
import { checkGroupTags, completeTags } from '../tags/tags.ts'
import type { Cells } from './cells.ts'
import {
  getDevice,
  type DeviceRow,
  isOlder,
  isSame,
  type KnownDevice,
  type KnownUser,
  readDevice,
  readGroup,
  readUser,
  getUser,
  type UserRow,
} from './fleet-rows.ts'
import { needsMedia, type PayloadRow, readPayload } from './payload-rows.ts'

/** What a run may take over. */
export interface MigrationSwitches {
  disable_onboarding: boolean
  disable_offboarding: boolean
  disable_payloads: boolean
}

/** What is known before a run. */
export interface KnownArchive {
  switches: MigrationSwitches
  /** The group of a person whose row names none. */
  default_group: string
  groups: Iterable<string>
  /** What a new group must have. */
  tag_definitions: readonly TagDefinition[]
  /** Licences of the account, and how many devices use each. */
  licenses: { limits: LicenseLimits; used: LicenseLimits }
  users: Iterable<readonly [string, KnownUser]>
  devices: Iterable<readonly [string, KnownDevice]>
  /** A file below `media/`; undefined: there is none. */
  media: (name: string) => { size: number; sha256: string } | undefined
  /** Epoch seconds of the beginning of the run: the same whenever it goes on. */
  now: number
}

/** What a row has done: nothing, where there is no act. */
export interface PlannedRow {
  result_type: MigrationResultType
  item: string
  faults: Fault[]
  act?:
    | { kind: 'group'; group_reference: string }
    | { kind: 'user'; device_user_reference: string; user: KnownUser; row: UserRow }
    | { kind: 'device'; device_reference: string; device: KnownDevice; row: DeviceRow }
    | {
        kind: 'payload'
        row: PayloadRow
        device_reference: string
        /** Whose recording it is. */
        device_user_reference: string
        /** It is there already, and its data comes now. */
        is_known: boolean
      }
}

/** How a recording is known: with all that belongs to it, or still without data. */
export type KnownPayload = 'whole' | 'awaited'

/** Bytes of all that is attached to one message, at most. */
export const ATTACHMENTS_LIMIT = 20 * 1024 ** 2

const digits = (number: string) => number.replace(/\D/g, '')
const failed = (item: string, faults: Fault[], result_type: MigrationResultType = 'Error'): PlannedRow => ({
  result_type,
  item,
  faults,
})
const done = (item: string, result_type: MigrationResultType): PlannedRow => ({
  result_type,
  item,
  faults: [],
})

/**
 * Decides about rows in order, from the known records and the rows before. A dry run and a real run ask it the same.
 */
export class MigrationPlan {
  readonly #archive: KnownArchive
  readonly #groups: Set<string>
  readonly #users: Map<string, KnownUser>
  readonly #devices: Map<string, KnownDevice>
  /** Addresses of people who are recorded. */
  readonly #emails = new Map<string, string>()
  /** Devices by their numbers, and those of each person. */
  readonly #numbers = new Map<string, Set<string>>()
  readonly #devicesByHolder = new Map<string, Set<string>>()
  /** Devices in the order in which they came to be known. */
  readonly #places = new Map<string, number>()
  /** Devices that use each licence. */
  readonly #used: LicenseLimits
  /** What rows of this run were about. */
  readonly #seenUsers = new Set<string>()
  readonly #seenDevices = new Set<string>()
  readonly #payloads = new Map<string, KnownPayload>()
  /** Who would join, and the devices that would, where the account takes over neither; and numbers of these devices. */
  readonly #left = { users: new Set<string>(), devices: new Set<string>(), numbers: new Set<string>() }

  constructor(archive: KnownArchive) {
    this.#archive = archive
    this.#groups = new Set(archive.groups)
    this.#users = new Map(archive.users)
    this.#devices = new Map()
    this.#used = { ...archive.licenses.used }
    for (const [reference, user] of this.#users) this.#keepEmail(reference, user)
    for (const [reference, device] of archive.devices) this.#keepDevice(reference, device)
  }

  /** Decides about a row of groups. */
  group(cells: Cells): PlannedRow {
    const { item, row, faults } = readGroup(cells)
    if (!row) return failed(item, faults)
    if (row.group_reference === RESERVED_GROUP) return failed(item, [fault('Group', 'group_reserved')])
    if (this.#groups.has(row.group_reference)) return done(item, 'GroupUnchanged')
    if (hasInvisible(row.group_reference)) return failed(item, [fault('Group', 'invisible_character')])
    const definitions = this.#archive.tag_definitions
    const lacking = checkGroupTags(completeTags([], definitions), definitions)
    if (lacking.length > 0) return failed(item, lacking)
    this.#groups.add(row.group_reference)
    return { ...done(item, 'GroupAdded'), act: { kind: 'group', ...row } }
  }

  /** Decides about a row of people. */
  user(cells: Cells): PlannedRow {
    const { item, row, faults } = readUser(cells)
    if (!row) return failed(item, faults)
    if (this.#seenUsers.has(item)) return failed(item, [fault('UserReference', 'not_unique')])
    this.#seenUsers.add(item)
    const known = this.#users.get(item)
    // A person who joined the new platform keeps their present data.
    if (known && !known.is_legacy) return done(item, 'UserUnchanged')
    if (known && isOlder(row.updated_at, known.legacy_updated_at)) return done(item, 'UserUnchanged')
    const user = getUser(row, known, this.#archive.default_group)
    if (!this.#groups.has(user.group))
      return failed(item, [fault('Group', 'unknown_reference', { value: user.group })])
    const owner = user.email && this.#emails.get(user.email.toLowerCase())
    if (user.is_active && owner && owner !== item) return failed(item, [fault('Email', 'email_taken')])
    const { disable_onboarding, disable_offboarding } = this.#archive.switches
    if (user.is_active && !known?.is_active && disable_onboarding) {
      if (!known) this.#left.users.add(item)
      return done(item, 'IgnoreOnboardingMigrationDisabled')
    }
    const leaves = known?.is_active === true && !user.is_active
    if (leaves && disable_offboarding) return done(item, 'IgnoreOffboardingMigrationDisabled')
    if (known && isSame(known, user)) return done(item, 'UserUnchanged')
    if (known?.is_held) return done(item, 'IgnoreLegalHold')
    const over = this.#overLicenses(item, known, user)
    if (over.length > 0)
      return failed(item, [fault('Services', 'license_exceeded', { value: over.join(', ') })])
    this.#users.set(item, user)
    this.#takeLicenses(item, known, user)
    const former = known?.email?.toLowerCase()
    // Another person may have it by now.
    if (former !== undefined && this.#emails.get(former) === item) this.#emails.delete(former)
    this.#keepEmail(item, user)
    const created = user.is_active ? 'UserCreatedOnboarded' : 'UserCreatedOffboarded'
    const result_type = !known ? created : leaves ? 'UserOffboarded' : 'UserUpdated'
    return { ...done(item, result_type), act: { kind: 'user', device_user_reference: item, user, row } }
  }

  /** Decides about a row of devices. */
  device(cells: Cells): PlannedRow {
    const { item, row, faults } = readDevice(cells)
    if (!row) return failed(item, faults)
    const known = this.#devices.get(item)
    if (this.#seenDevices.has(item) || (known && !known.is_legacy))
      return failed(item, [fault('DeviceReference', 'not_unique')], 'DuplicateDeviceReference')
    this.#seenDevices.add(item)
    const holder = row.device_user_reference
    // A skipped person keeps their devices and recordings.
    if (holder !== undefined && this.#left.users.has(holder)) return this.#leave(item, row)
    if (holder !== undefined && !this.#users.has(holder))
      return failed(
        item,
        [fault('UserReference', 'unknown_reference', { value: holder })],
        'DeviceWithNoMatchingUser',
      )
    if (known && isOlder(row.updated_at, known.legacy_updated_at)) return done(item, 'DeviceUnchanged')
    const stated = getDevice(row, known)
    const { disable_onboarding, disable_offboarding } = this.#archive.switches
    if (stated.is_active && !known?.is_active && disable_onboarding)
      return known ? done(item, 'IgnoreOnboardingMigrationDisabled') : this.#leave(item, row)
    if (known?.is_active && !stated.is_active && disable_offboarding)
      return done(item, 'IgnoreOffboardingMigrationDisabled')
    if (known && isSame(known, stated)) return done(item, 'DeviceUnchanged')
    const former = known?.device_user_reference
    if (former && this.#users.get(former)?.is_held) return done(item, 'IgnoreLegalHold')
    const device = { ...stated, unlicensed_services: this.#licenseDevice(known, stated) }
    this.#keepDevice(item, device)
    const created = device.is_active ? 'DeviceCreatedActivated' : 'DeviceCreatedDeactivated'
    return {
      ...done(item, known ? 'DeviceUpdated' : created),
      act: { kind: 'device', device_reference: item, device, row },
    }
  }

  /**
   * Decides about a row of recordings.
   * @param loaded looks up a recording that the platform has; undefined: none
   */
  payload(cells: Cells, loaded: (legacy_payload_reference: string) => KnownPayload | undefined): PlannedRow {
    const { item, row, faults } = readPayload(cells, this.#archive.now)
    if (!row) return failed(item, faults)
    const known = this.#payloads.get(item) ?? loaded(item)
    if (known === 'whole' || (known === 'awaited' && row.data_follows))
      return done(item, 'PayloadAlreadyLoaded')
    const { disable_payloads } = this.#archive.switches
    if (!known && disable_payloads) return done(item, 'IgnoreNewPayloadMigrationDisabled')
    if (row.is_mismatching)
      return failed(item, [fault('Parties', 'invalid')], 'ConferenceCallWithMismatchingData')
    const owner = this.#getOwner(row)
    if (!owner?.device_reference && this.#isLeft(row)) return done(item, 'IgnoreOnboardingMigrationDisabled')
    if (!owner) return done(item, 'PayloadWithNoMatchingUser')
    if (!owner.device_reference)
      return failed(item, [fault('DeviceReference', 'required', { field: 'DeviceReference' })])
    const follows = row.data_follows && !isDataless(row.payload_type)
    const missing = follows ? undefined : this.#missing(row)
    if (missing) return missing
    this.#payloads.set(item, follows ? 'awaited' : 'whole')
    const created = follows ? 'RecordedPayloadCreated' : 'PayloadCreated'
    return {
      ...done(item, known ? 'PayloadUpdated' : created),
      act: {
        kind: 'payload',
        row,
        device_reference: owner.device_reference,
        device_user_reference: owner.device_user_reference,
        is_known: known !== undefined,
      },
    }
  }

  /** A person's group after all rows so far. */
  getGroup(device_user_reference: string): string | undefined {
    return this.#users.get(device_user_reference)?.group
  }

  /** Services that a person cannot be given: none is licensed, or their active devices would use more than there are. */
  #overLicenses(item: string, known: KnownUser | undefined, user: KnownUser): DeviceService[] {
    const { limits } = this.#archive.licenses
    return getServices(user).filter(
      (service) =>
        !getServices(known).includes(service) &&
        (limits[service] === 0 || this.#used[service] + this.#devicesFor(item, service) > limits[service]),
    )
  }

  #takeLicenses(item: string, known: KnownUser | undefined, user: KnownUser): void {
    for (const service of getServices(user)) this.#used[service] += this.#devicesFor(item, service)
    for (const service of getServices(known)) this.#used[service] -= this.#devicesFor(item, service)
  }

  /** Active devices of a holder that record a service as soon as the holder has it. */
  #devicesFor(holder: string, service: DeviceService): number {
    const held = [...(this.#devicesByHolder.get(holder) ?? [])].flatMap(
      (each) => this.#devices.get(each) ?? [],
    )
    return held.filter(
      ({ is_active, unlicensed_services }) => is_active && !unlicensed_services.includes(service),
    ).length
  }

  /** Takes the licences of an active device as one takes them that signs in; answers the services for which none is left. */
  #licenseDevice(known: KnownDevice | undefined, device: KnownDevice): DeviceService[] {
    const { limits } = this.#archive.licenses
    const had = this.#servicesOfDevice(known).filter((each) => !known?.unlicensed_services.includes(each))
    for (const service of had) this.#used[service]--
    const unlicensed: DeviceService[] = []
    for (const service of this.#servicesOfDevice(device))
      if (had.includes(service) || this.#used[service] < limits[service]) this.#used[service]++
      else unlicensed.push(service)
    return unlicensed
  }

  #servicesOfDevice(device: KnownDevice | undefined): readonly DeviceService[] {
    const holder = device?.is_active ? device.device_user_reference : null
    return holder === null || holder === undefined ? [] : getServices(this.#users.get(holder))
  }

  #missing(row: PayloadRow): PlannedRow | undefined {
    const item = row.legacy_payload_reference
    const unavailable = (path: string, code: 'required' | 'unknown_reference', value: string) =>
      failed(item, [fault(path, code, { field: value, value })], 'PayloadDataNotAvailable')
    if (needsMedia(row) && row.media.length !== 1)
      return row.media.length === 0
        ? unavailable('MediaFile', 'required', 'MediaFile')
        : failed(item, [fault('MediaFile', 'too_many', { limit: 1 })])
    if (isDataless(row.payload_type)) return undefined
    let bytes = 0
    for (const name of row.media) {
      const found = this.#archive.media(name)
      if (!found) return unavailable('MediaFile', 'unknown_reference', name)
      if (row.media_sha256 !== undefined && row.media.length === 1 && found.sha256 !== row.media_sha256)
        return failed(item, [fault('MediaSha256', 'checksum')], 'PayloadDataNotAvailable')
      bytes += found.size
    }
    if (bytes > PAYLOAD_SIZE_LIMIT)
      return failed(item, [fault('MediaFile', 'too_big', { limit: PAYLOAD_SIZE_LIMIT })])
    if (!needsMedia(row) && bytes > ATTACHMENTS_LIMIT)
      return failed(item, [fault('MediaFile', 'too_big', { limit: ATTACHMENTS_LIMIT })])
    return undefined
  }

  /** The person and device of a recording; undefined: no known person. */
  #getOwner(
    row: PayloadRow,
  ): { device_user_reference: string; device_reference: string | undefined } | undefined {
    const numbered = row.legacy_phone_number && this.#numbers.get(digits(row.legacy_phone_number))
    const named = row.device_reference ?? (numbered ? this.#getFirst(numbered, -1) : undefined)
    const device = named === undefined ? undefined : this.#devices.get(named)
    const holder = row.device_user_reference ?? device?.device_user_reference ?? undefined
    if (holder === undefined || !this.#users.has(holder)) return undefined
    return {
      device_user_reference: holder,
      device_reference: device ? named : this.#getFirst(this.#devicesByHolder.get(holder)),
    }
  }

  #leave(item: string, { legacy_phone_number: number }: DeviceRow): PlannedRow {
    this.#left.devices.add(item)
    if (number) this.#left.numbers.add(digits(number))
    return done(item, 'IgnoreOnboardingMigrationDisabled')
  }

  /** Whether the recording's person or device is skipped. */
  #isLeft({ device_user_reference, device_reference, legacy_phone_number }: PayloadRow): boolean {
    const { users, devices, numbers } = this.#left
    return (
      (device_user_reference !== undefined && users.has(device_user_reference)) ||
      (device_reference !== undefined && devices.has(device_reference)) ||
      (legacy_phone_number !== undefined && numbers.has(digits(legacy_phone_number)))
    )
  }

  #keepEmail(reference: string, { email, is_active }: KnownUser): void {
    if (email && is_active) this.#emails.set(email.toLowerCase(), reference)
  }

  #keepDevice(reference: string, device: KnownDevice): void {
    const former = this.#devices.get(reference)
    if (former?.legacy_phone_number) this.#numbers.get(digits(former.legacy_phone_number))?.delete(reference)
    if (former?.device_user_reference)
      this.#devicesByHolder.get(former.device_user_reference)?.delete(reference)
    this.#devices.set(reference, device)
    const { device_user_reference: holder, legacy_phone_number: number } = device
    if (number) getSet(this.#numbers, digits(number)).add(reference)
    if (holder) getSet(this.#devicesByHolder, holder).add(reference)
    if (!this.#places.has(reference)) this.#places.set(reference, this.#places.size)
  }

  /** Of some devices the one that has been known longest (`-1`: that came last), so that a run which goes on takes the same. */
  #getFirst(references: ReadonlySet<string> | undefined, order: 1 | -1 = 1): string | undefined {
    const place = (reference: string) => order * (this.#places.get(reference) ?? 0)
    let first: string | undefined
    for (const each of references ?? []) if (first === undefined || place(each) < place(first)) first = each
    return first
  }
}

/** Services that are recorded of a user; none of a user who has left. */
const getServices = (user: KnownUser | undefined): readonly DeviceService[] =>
  user?.is_active ? (user.services as readonly DeviceService[]) : []

function getSet(map: Map<string, Set<string>>, key: string): Set<string> {
  const found = map.get(key) ?? new Set()
  map.set(key, found)
  return found
}
