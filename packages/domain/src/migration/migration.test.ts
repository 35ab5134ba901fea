import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  DEVICE_SERVICES,
  type LicenseLimits,
  MIGRATION_RESULTS,
  PAYLOAD_SIZE_LIMIT,
  RESERVED_GROUP,
} from '@custodia/contract'
import {
  type Cells,
  columnName,
  csvLines,
  isMigrationPath,
  migrationFile,
  MigrationPlan,
  UnreadableFile,
} from './index.ts'
import type { KnownArchive } from './plan.ts'

async function* pieces(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}
const getLines = async (text: string, size = 3) => {
  const all = []
  for await (const { line, cells } of csvLines(pieces(text, size))) all.push([line, ...cells])
  return all
}

describe('lines of CSV files', () => {
  it('are read as RFC 4180 for any chunk size', async () => {
    const text = '\uFEFFa,b\r\n"x, ""y""\n2",\r\n\r\n"",z'
    for (const size of [1, 2, 5, 100])
      assert.deepEqual(await getLines(text, size), [
        [1, 'a', 'b'],
        [2, 'x, "y"\n2', ''],
        [5, '', 'z'],
      ])
  })
  it('are rejected at the line of an unclosed quote', async () => {
    await assert.rejects(getLines('a\n"b\nc'), (error) => error instanceof UnreadableFile && error.line === 2)
  })
})

describe('files of a drop folder', () => {
  it('have a kind that follows from their names', () => {
    const kinds = [
      'users.csv',
      'users-2.CSV',
      'payloads_a.ndjson',
      'media/a/b.m4a',
      'manifest.json',
      'note.txt',
      'users.ndjson',
    ]
    assert.deepEqual(kinds.map(migrationFile), [
      'DeviceUser',
      'DeviceUser',
      'Payload',
      'media',
      'manifest',
      'unknown',
      'unknown',
    ])
  })
  it('have paths within the folder only', () => {
    for (const path of [
      '../users.csv',
      '/etc/passwd',
      'media/../x',
      'a/b.csv',
      '.hidden',
      'media/',
      'x\u0000',
      '',
    ])
      assert.equal(isMigrationPath(path), false, path)
    for (const path of ['users.csv', 'media/a b.m4a', 'media/2024/05/ü.m4a'])
      assert.ok(isMigrationPath(path), path)
  })
})

const USER = {
  group: 'Desk',
  email: null,
  first_name: 'Ann',
  surname: null,
  services: [],
  expected_device_count: 1,
  is_active: true,
  is_legacy: true,
  is_held: false,
  legacy_updated_at: null,
}
const DEVICE = {
  device_user_reference: 'ann',
  legacy_phone_number: '+44 20 1',
  imeis: [],
  model: null,
  os_version: null,
  app_version: null,
  is_active: true,
  unlicensed_services: [],
  is_legacy: true,
  legacy_updated_at: null,
}
const OFF = { disable_onboarding: false, disable_offboarding: false, disable_payloads: false }
const NOW = 1_800_000_000
const licenses = (count: number) =>
  Object.fromEntries(DEVICE_SERVICES.map((service) => [service, count])) as LicenseLimits
const getPlan = (change: Partial<KnownArchive> = {}) =>
  new MigrationPlan({
    switches: OFF,
    default_group: 'Desk',
    groups: ['Desk'],
    tag_definitions: [],
    licenses: { limits: licenses(9), used: licenses(0) },
    users: [['ann', USER]],
    devices: [['phone', DEVICE]],
    media: (name) => (name === 'a.m4a' ? { size: 9, sha256: 'a'.repeat(64) } : undefined),
    now: NOW,
    ...change,
  })
const cells = (row: Record<string, string | string[]>): Cells =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [columnName(name), value]))
const CALL = {
  LegacyPayloadReference: 'c1',
  PayloadType: 'Call',
  DeviceReference: 'phone',
  PayloadTime: '2024-05-01T10:00:00+01:00',
  PayloadEndTime: '1714554060',
  Direction: 'I',
  Parties: '+4471,+4472',
  MediaFile: 'a.m4a',
}
const never = () => undefined

describe('migration rows', () => {
  const payload = (row: Record<string, string | string[]>, change: Partial<KnownArchive> = {}) =>
    getPlan(change).payload(cells({ ...CALL, ...row }), never)

  it('are held against the same rules as the portal’s calls', () => {
    const required = { tag_key: 'desk', tag_values: null, is_required: true, default_value: null }
    const group = (name: string, change: Partial<KnownArchive> = {}) =>
      getPlan(change)
        .group(cells({ Group: name }))
        .faults.map(({ code }) => code)
    assert.deepEqual(group(RESERVED_GROUP), ['group_reserved'])
    assert.deepEqual(group('No\u200brth'), ['invisible_character'])
    assert.deepEqual(group('New', { tag_definitions: [required] }), ['tag_missing'])
    assert.deepEqual(group('New', { tag_definitions: [{ ...required, default_value: 'yes' }] }), [])
    const getFaults = (row: Record<string, string>, change: Partial<KnownArchive> = {}) =>
      getPlan(change)
        .user(cells({ UserReference: 'bob', ...row }))
        .faults.map(({ code }) => code)
    assert.deepEqual(getFaults({ Group: RESERVED_GROUP }), ['unknown_reference'])
    const none = { licenses: { limits: { ...licenses(9), photos: 0 }, used: licenses(0) } }
    assert.deepEqual(getFaults({ Services: 'photos' }, none), ['license_exceeded'])
    assert.deepEqual(getFaults({ Services: 'photos', IsActive: 'no' }, none), [])
    const one = getPlan({ licenses: { limits: licenses(1), used: licenses(0) } })
    one.user(cells({ UserReference: 'bob', Services: 'photos' }))
    const device = (name: string) => one.device(cells({ DeviceReference: name, UserReference: 'bob' })).act
    const unlicensed = ['one', 'two'].map((name) => {
      const act = device(name)
      return act?.kind === 'device' && act.device.unlicensed_services
    })
    assert.deepEqual(unlicensed, [[], ['photos']])
  })

  it('give the right result for groups, users and devices', () => {
    const plan = getPlan()
    const group = (name: string) => plan.group(cells({ group: name })).result_type
    assert.deepEqual(
      [group('New'), group('New'), group(''), group('a,b')],
      ['GroupAdded', 'GroupUnchanged', 'Error', 'Error'],
    )
    const user = (row: Record<string, string>) => plan.user(cells(row)).result_type
    assert.equal(user({ UserReference: 'bob', Group: 'New', FirstName: 'Bob' }), 'UserCreatedOnboarded')
    assert.equal(user({ UserReference: 'bob' }), 'Error', 'twice')
    assert.equal(user({ UserReference: 'cid', OffboardDate: '2020-01-01' }), 'UserCreatedOffboarded')
    assert.equal(user({ UserReference: 'dan', Group: 'None' }), 'Error')
    assert.equal(user({ UserReference: 'ann', FirstName: 'Ann' }), 'UserUnchanged')
    const device = (row: Record<string, string>) => plan.device(cells(row)).result_type
    assert.equal(
      device({ DeviceReference: 'bobs', UserReference: 'bob', LastCall: '2024-01-01' }),
      'DeviceCreatedActivated',
    )
    assert.equal(device({ DeviceReference: 'bobs', UserReference: 'bob' }), 'DuplicateDeviceReference')
    assert.equal(device({ DeviceReference: 'dans', UserReference: 'dan' }), 'DeviceWithNoMatchingUser')
    assert.equal(device({ DeviceReference: 'old', IsActive: 'no' }), 'DeviceCreatedDeactivated')
    assert.equal(device({ DeviceReference: 'phone', Model: 'X' }), 'DeviceUpdated')
  })

  it('do not change users who are new, on legal hold or updated later', () => {
    const one = (user: object, row: Record<string, string>) =>
      getPlan({ users: [['ann', { ...USER, ...user }]] }).user(cells({ UserReference: 'ann', ...row }))
        .result_type
    assert.equal(one({}, { FirstName: 'Anna' }), 'UserUpdated')
    assert.equal(one({}, { IsActive: 'no' }), 'UserOffboarded')
    assert.equal(one({ is_legacy: false }, { FirstName: 'Anna' }), 'UserUnchanged')
    assert.equal(one({ is_held: true }, { FirstName: 'Anna' }), 'IgnoreLegalHold')
    assert.equal(one({ legacy_updated_at: 2000 }, { FirstName: 'Anna', UpdatedAt: '1000' }), 'UserUnchanged')
    const live = getPlan({ devices: [['phone', { ...DEVICE, is_legacy: false }]] })
    assert.equal(live.device(cells({ DeviceReference: 'phone' })).result_type, 'DuplicateDeviceReference')
  })

  it('are ignored with a warning where migration is disabled', () => {
    const plan = getPlan({
      switches: { disable_onboarding: true, disable_offboarding: true, disable_payloads: true },
    })
    const all = [
      plan.user(cells({ UserReference: 'bob' })),
      plan.user(cells({ UserReference: 'ann', IsActive: 'no' })),
      plan.device(cells({ DeviceReference: 'new' })),
      plan.device(cells({ DeviceReference: 'phone', IsActive: 'no' })),
      plan.payload(cells(CALL), never),
    ]
    assert.deepEqual(
      all.map(({ result_type }) => result_type),
      [
        'IgnoreOnboardingMigrationDisabled',
        'IgnoreOffboardingMigrationDisabled',
        'IgnoreOnboardingMigrationDisabled',
        'IgnoreOffboardingMigrationDisabled',
        'IgnoreNewPayloadMigrationDisabled',
      ],
    )
    for (const { result_type, act } of all)
      assert.deepEqual([MIGRATION_RESULTS[result_type], act], ['warning', undefined])
  })

  it('skip devices and payloads of users whose onboarding is disabled', () => {
    const plan = getPlan({ switches: { ...OFF, disable_onboarding: true } })
    const phone = (row: Record<string, string>) => plan.device(cells(row)).result_type
    const recorded = (row: Record<string, string>) =>
      plan.payload(cells({ ...CALL, DeviceReference: '', ...row }), never).result_type
    plan.user(cells({ UserReference: 'bob' }))
    const left = 'IgnoreOnboardingMigrationDisabled'
    assert.equal(
      phone({ DeviceReference: 'bobs', UserReference: 'bob', legacy_phone_number: '+44 7', IsActive: 'no' }),
      left,
    )
    assert.equal(phone({ DeviceReference: 'new', UserReference: 'ann' }), left)
    assert.equal(phone({ DeviceReference: 'odd', UserReference: 'unknown' }), 'DeviceWithNoMatchingUser')
    for (const whose of [
      { UserReference: 'bob' },
      { DeviceReference: 'bobs' },
      { legacy_phone_number: '+447' },
      { DeviceReference: 'new' },
    ] as Record<string, string>[])
      assert.equal(recorded({ LegacyPayloadReference: JSON.stringify(whose), ...whose }), left)
    assert.equal(recorded({ DeviceReference: 'odd' }), 'PayloadWithNoMatchingUser')
    assert.equal(recorded({ DeviceReference: 'phone' }), 'PayloadCreated')
  })

  it('give the right result for payloads', () => {
    const { act, ...good } = payload({})
    assert.deepEqual(good, { result_type: 'PayloadCreated', item: 'c1', faults: [] })
    assert.ok(act?.kind === 'payload')
    assert.deepEqual(
      [act.device_user_reference, act.row.meta.payload_time, act.row.meta.local_time],
      ['ann', 1714554000, '2024-05-01T09:00:00'],
    )
    const type = (row: Record<string, string | string[]>) => payload(row).result_type
    assert.equal(type({ PartyNames: 'One' }), 'ConferenceCallWithMismatchingData')
    assert.equal(type({ PartyDirections: ['I', 'O'], PartyNames: ['One', 'Two'] }), 'PayloadCreated')
    assert.equal(type({ MediaFile: 'b.m4a' }), 'PayloadDataNotAvailable')
    assert.equal(type({ MediaFile: '' }), 'PayloadDataNotAvailable')
    assert.equal(type({ MediaSha256: 'b'.repeat(64) }), 'PayloadDataNotAvailable')
    assert.equal(type({ MediaFile: '', DataFollows: 'yes' }), 'RecordedPayloadCreated')
    assert.equal(type({ DeviceReference: 'none' }), 'PayloadWithNoMatchingUser')
    assert.equal(type({ DeviceReference: '', legacy_phone_number: '+44-201' }), 'PayloadCreated')
    assert.equal(type({ DeviceReference: '', UserReference: 'ann' }), 'PayloadCreated')
    assert.equal(type({ PayloadType: 'AbortedCall', MediaFile: '' }), 'PayloadCreated')
    assert.equal(
      type({ PayloadType: 'SMS', MediaFile: '', Text: 'Hi', legacy_processed_time: '5' }),
      'PayloadCreated',
    )
    for (const row of [
      { PayloadType: 'Fax' },
      { PayloadTime: 'yesterday' },
      { PayloadTime: '2024-02-30' },
      { PayloadTime: String(NOW + 1) },
      { Direction: 'X' },
      { Direction: '' },
      { Parties: '' },
      { LegacyPayloadReference: '' },
      { PayloadEndTime: '5' },
    ] as Record<string, string>[]) {
      const { result_type, faults } = payload(row)
      assert.deepEqual([result_type, faults.length > 0], ['Error', true], JSON.stringify(row))
    }
  })

  it('accept a recording of the largest size and reject a larger one', () => {
    const type = (size: number) =>
      getPlan({ media: () => ({ size, sha256: 'a'.repeat(64) }) }).payload(cells(CALL), never)
    assert.equal(type(PAYLOAD_SIZE_LIMIT).result_type, 'PayloadCreated')
    const { result_type, faults, act } = type(PAYLOAD_SIZE_LIMIT + 1)
    assert.deepEqual(
      [result_type, act, faults.map(({ path, code }) => `${path} ${code}`)],
      ['Error', undefined, ['MediaFile too_big']],
    )
  })

  it('load a payload once and its data when it follows', () => {
    const plan = getPlan()
    const again = (row: Record<string, string> = {}) =>
      plan.payload(cells({ ...CALL, ...row }), never).result_type
    assert.equal(again({ DataFollows: 'yes', MediaFile: '' }), 'RecordedPayloadCreated')
    assert.equal(again({ DataFollows: 'yes', MediaFile: '' }), 'PayloadAlreadyLoaded')
    assert.equal(again(), 'PayloadUpdated')
    assert.equal(again(), 'PayloadAlreadyLoaded')
    assert.equal(getPlan().payload(cells(CALL), () => 'whole').result_type, 'PayloadAlreadyLoaded')
  })
})
