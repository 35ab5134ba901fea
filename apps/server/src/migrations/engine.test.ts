import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type MigrationResult, RESERVED_GROUP } from '@custodia/contract'
import { migrationFixture } from '../testing/access-fixture.ts'

type Fixture = Awaited<ReturnType<typeof migrationFixture>>
const readState = (results: readonly MigrationResult[]) =>
  results.map(({ result_type, kind, item, filename, line, faults }) => ({
    result_type,
    kind,
    item,
    filename,
    line,
    faults,
  }))

describe('the migration example of docs/migration.md', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await migrationFixture()
    await fixture.dropExample()
  })
  after(() => fixture?.close())

  it('imports nothing in a dry run, which reports the same results as the real run', async () => {
    const dry = await fixture.run({ is_dry_run: true })
    const stated = readState(await fixture.results(dry.migration_reference))
    const [left] = await fixture.sql<{ count: number }>(
      `select (select count(*) from payloads)::int + (select count(*) from device_users where is_legacy)::int
         + (select count(*) from devices)::int + (select count(*) from legacy_payloads)::int as count`,
    )
    assert.equal(left?.count, 0)
    const run = await fixture.run()
    assert.equal(run.error_message, null)
    assert.deepEqual(readState(await fixture.results(run.migration_reference)), stated)
    assert.equal(run.migration_state, 'Migrated', JSON.stringify(run.import_errors))
    assert.deepEqual(
      stated.map(({ result_type, item }) => `${item} ${result_type}`),
      [
        'Legacy desk GroupAdded',
        'legacy-ann UserCreatedOnboarded',
        'legacy-ben UserCreatedOffboarded',
        'legacy-phone-1 DeviceCreatedActivated',
        'legacy-phone-2 DeviceCreatedDeactivated',
        'L-2001 PayloadCreated',
        'L-2002 PayloadCreated',
        'L-1001 PayloadCreated',
        'L-1002 PayloadCreated',
        'L-1003 PayloadCreated',
        'L-1004 PayloadCreated',
        'L-1005 PayloadCreated',
        'L-1006 RecordedPayloadCreated',
      ],
    )
    assert.deepEqual(
      [run.total_payloads, run.new_payloads, run.new_users, run.new_devices, run.new_groups],
      [8, 8, 2, 2, 1],
    )
  })

  it('processes imported payloads like other payloads, and never marks them late', async () => {
    await fixture.fixture.work()
    const rows = await fixture.sql<{
      legacy: string
      state: string
      is_late: boolean
      owner: string
      group: string
    }>(
      `select l.legacy_payload_reference as legacy, s.name as state, p.is_late, u.device_user_reference as owner, g.group_reference as "group"
       from payloads p join legacy_payloads l using (client_id, payload_id) join payload_states s on s.code = p.state
       join device_users u using (client_id, device_user_id) join groups g on g.group_id = p.group_id
       where p.is_legacy order by 1`,
    )
    assert.deepEqual(
      rows.map(({ legacy, state, is_late, owner, group }) =>
        [legacy, state, is_late, owner, group].join(' '),
      ),
      [
        'L-1001 Processed false legacy-ann Legacy desk',
        'L-1002 Processed false legacy-ann Legacy desk',
        'L-1003 NotRecorded false legacy-ann Legacy desk',
        'L-1004 NotRecorded false legacy-ann Legacy desk',
        'L-1005 Processed false legacy-ann Legacy desk',
        'L-1006 Recorded false legacy-ben Legacy desk',
        'L-2001 Processed false legacy-ann Legacy desk',
        'L-2002 Processed false legacy-ann Legacy desk',
      ],
    )
    await fixture.fixture.sweep()
    const [late] = await fixture.sql<{ count: number }>('select count(*)::int from payloads where is_late')
    assert.equal(late?.count, 0)
    const [processed] = await fixture.sql<{ result: number; ours: number }>(
      `select l.legacy_processed_time as result, p.processed_at as ours from payloads p join legacy_payloads l using (client_id, payload_id)
       where l.legacy_payload_reference = 'L-1001'`,
    )
    assert.equal(processed?.result, Date.parse('2024-06-28T09:10:00Z') / 1000)
    assert.ok((processed?.ours ?? 0) > 1_750_000_000)
  })

  it('imports nothing twice', async () => {
    const before = await fixture.sql('select count(*) from payloads')
    const again = await fixture.run()
    const types = new Set(
      (await fixture.results(again.migration_reference)).map(({ result_type }) => result_type),
    )
    assert.deepEqual([...types].sort(), [
      'DeviceUnchanged',
      'GroupUnchanged',
      'PayloadAlreadyLoaded',
      'UserUnchanged',
    ])
    assert.deepEqual(await fixture.sql('select count(*) from payloads'), before)
  })

  it('adds the data of a recording that arrives in a later run', async () => {
    await fixture.drop({
      'payloads.csv':
        'LegacyPayloadReference,PayloadType,DeviceReference,PayloadTime,PayloadEndTime,Direction,Parties,MediaFile\nL-1006,Call,legacy-phone-2,2022-11-02T08:00:00Z,2022-11-02T08:00:09Z,I,+447700900204,call-1001.wav\n',
      'manifest.json': '{}',
    })
    const run = await fixture.run()
    assert.deepEqual([run.updated_payloads, run.errors], [1, 0])
    await fixture.fixture.work()
    const [row] = await fixture.sql<{ state: string }>(
      `select s.name as state from payloads p join legacy_payloads l using (client_id, payload_id) join payload_states s on s.code = p.state
       where l.legacy_payload_reference = 'L-1006'`,
    )
    assert.equal(row?.state, 'Processed')
  })
})

describe('a migration run with faulty files', () => {
  it('reports each faulty row, imports the others, and retries only the failed rows', async () => {
    const fixture = await migrationFixture()
    try {
      const head =
        'LegacyPayloadReference,PayloadType,DeviceReference,PayloadTime,Direction,ThreadId,Parties,Text,MediaFile\n'
      const sms = (name: string, device = 'p1', more = '') =>
        `${name},SMS,${device},2024-01-01T00:00:00Z,I,t,+441,Hello${name},${more}\n`
      await fixture.drop({
        'users.csv': 'UserReference,FirstName\nlegacy-1,One\nlegacy-2,"Too, many"\n',
        'devices.csv': 'DeviceReference,UserReference\np1,legacy-1\np1,legacy-1\np2,legacy-2\n',
        'payloads.csv': `${head}${sms('A')}${sms('B', 'p2')}${sms('C', 'p1', 'none.png')}${sms('A')}a,b\n`,
        'notes.txt': 'not imported',
        'manifest.json': JSON.stringify({ files: { 'groups.csv': 'a'.repeat(64) } }),
      })
      const run = await fixture.run()
      const types = (results: readonly MigrationResult[]) =>
        results.map(({ item, result_type }) => `${item} ${result_type}`)
      assert.deepEqual(types(await fixture.results(run.migration_reference)), [
        'notes.txt UnknownFile',
        'groups.csv FileDigestMismatch',
        'legacy-1 UserCreatedOnboarded',
        'legacy-2 Error',
        'p1 DeviceCreatedActivated',
        'p1 DuplicateDeviceReference',
        'p2 DeviceWithNoMatchingUser',
        'A PayloadCreated',
        'B PayloadWithNoMatchingUser',
        'C PayloadDataNotAvailable',
        'A PayloadAlreadyLoaded',
        'a Error',
      ])
      assert.equal(run.migration_state, 'PartialFail')
      const [alert] = await fixture.sql(`select alert_key from alerts where alert_type = 'MigrationAlert'`)
      assert.ok(alert)
      await fixture.drop({
        'users.csv': 'UserReference,FirstName\nlegacy-1,One\nlegacy-2,Two\n',
        'devices.csv': 'DeviceReference,UserReference\np1,legacy-1\np2,legacy-2\n',
        'media/none.png': 'no picture, but there',
        'manifest.json': '{}',
      })
      const again = await fixture.run({ retry_of: run.migration_reference })
      assert.deepEqual(types(await fixture.results(again.migration_reference)), [
        'notes.txt UnknownFile',
        'legacy-2 UserCreatedOnboarded',
        'p1 DeviceUnchanged',
        'p2 DeviceCreatedActivated',
        'B PayloadCreated',
        'C PayloadCreated',
        'a Error',
      ])
      const open = () =>
        fixture.sql(`select alert_key from alerts where alert_type = 'MigrationAlert' and cleared_at is null`)
      assert.ok((await open()).length > 1)
      await rm(join(fixture.folder, 'notes.txt'))
      await fixture.drop({ 'payloads.csv': `${head}${sms('A')}${sms('B', 'p2')}` })
      assert.equal((await fixture.run()).migration_state, 'Migrated')
      assert.deepEqual(await open(), [], 'a run without errors settles its files')
    } finally {
      await fixture.close()
    }
  })

  it('imports nothing when the virus scanner finds malware', async () => {
    const scanner = {
      configured: true,
      health: async () => undefined,
      async scan(source: AsyncIterable<Uint8Array>) {
        let text = ''
        for await (const chunk of source) text += Buffer.from(chunk).toString()
        return text.includes('EICAR')
          ? { infected: true as const, signature: 'x' }
          : { infected: false as const }
      },
    }
    const fixture = await migrationFixture({ scanner })
    try {
      await fixture.drop({ 'users.csv': 'UserReference\nlegacy-1\n', 'media/bad.bin': 'EICAR' })
      const run = await fixture.run()
      assert.deepEqual([run.migration_state, run.new_users], ['Quarantined', 0])
      assert.deepEqual(run.import_errors, [
        { result_type: 'FileQuarantined', count: 1, items: ['media/bad.bin'] },
      ])
    } finally {
      await fixture.close()
    }
  })
})

describe('a migration run and the rules of the portal', () => {
  let fixture: Fixture
  before(async () => void (fixture = await migrationFixture()))
  after(() => fixture?.close())
  const people = () =>
    fixture.sql<{ who: string; group: string }>(
      `select device_user_reference as who, group_reference as "group" from device_users join groups using (client_id, group_id)
       where device_user_reference like 'rule-%' order by 1`,
    )

  it('moves no user to the reserved group, and gives a new group its required tags', async () => {
    await fixture.sql(
      `insert into tag_definitions (client_id, tag_key, tag_values, is_required, default_value, updated_at, updated_by)
       values ($1, 'desk', null, true, 'unknown', 0, 'alice')`,
      [fixture.account.client_id],
    )
    await fixture.drop({
      'groups.csv': `Group\n${RESERVED_GROUP}\nNew desk\n`,
      'users.csv': `UserReference,Group\nrule-1,${RESERVED_GROUP}\nrule-2,New desk\n`,
    })
    const { migration_reference } = await fixture.run()
    assert.deepEqual(
      (await fixture.results(migration_reference)).map(({ item, result_type }) => `${item} ${result_type}`),
      [`${RESERVED_GROUP} Error`, 'New desk GroupAdded', 'rule-1 Error', 'rule-2 UserCreatedOnboarded'],
    )
    assert.deepEqual(await people(), [{ who: 'rule-2', group: 'New desk' }])
    assert.deepEqual(
      await fixture.sql(
        `select tag_key, tag_value from group_tags join groups using (client_id, group_id) where group_reference = 'New desk'`,
      ),
      [{ tag_key: 'desk', tag_value: 'unknown' }],
    )
  })

  it('moves the devices of a user who moves, and assigns no service without a licence', async () => {
    await fixture.drop({
      'groups.csv': 'Group\nOther desk\n',
      'users.csv': 'UserReference,Group,Services\nrule-3,New desk,photos\n',
      'devices.csv': 'DeviceReference,UserReference\nrule-phone-1,rule-3\nrule-phone-2,rule-3\n',
    })
    await fixture.sql(`update client_licenses set limits = limits || '{"photos": 1, "videos": 0}'`)
    assert.equal((await fixture.run()).migration_state, 'Migrated')
    const devices = () =>
      fixture.sql<{ device: string; group: string; unlicensed: string[] }>(
        `select device_reference as device, group_reference as "group", unlicensed_services as unlicensed
         from devices join groups using (client_id, group_id) where device_reference like 'rule-%' order by 1`,
      )
    assert.deepEqual(await devices(), [
      { device: 'rule-phone-1', group: 'New desk', unlicensed: [] },
      { device: 'rule-phone-2', group: 'New desk', unlicensed: ['photos'] },
    ])
    await fixture.drop({
      'users.csv': 'UserReference,Group,Services\nrule-3,Other desk,photos\nrule-4,Other desk,videos\n',
    })
    const { migration_reference } = await fixture.run()
    const results = await fixture.results(migration_reference)
    assert.deepEqual(
      results
        .filter(({ kind }) => kind === 'DeviceUser')
        .map(({ item, result_type }) => `${item} ${result_type}`),
      ['rule-3 UserUpdated', 'rule-4 Error'],
    )
    assert.deepEqual(
      (await devices()).map(({ group }) => group),
      ['Other desk', 'Other desk'],
    )
  })
})
