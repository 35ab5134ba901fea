/** Retention erases the verified files of runs without errors, and no others. */
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { DAY, MIGRATION_ERASE_DAYS } from '@custodia/contract'
import { migrationFixture } from '../testing/access-fixture.ts'
import { eraseSources } from './start.ts'

const NEVER = new AbortController().signal

const fixture = await migrationFixture()
after(() => fixture.close())
await fixture.dropExample()

describe('migration source files', () => {
  const files = async () =>
    (await readdir(fixture.folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name)
      .toSorted()
  const erase = () => eraseSources(fixture.ctx, fixture.account, NEVER)

  it('are erased when the retention days of an error-free run end, with an audit entry', async () => {
    const all = await files()
    const dry = await fixture.run({ is_dry_run: true })
    const run = await fixture.run()
    await fixture.fixture.work()
    assert.equal(run.migration_state, 'Migrated')
    assert.equal(dry.sources_erase_at, null)
    assert.equal(run.sources_erase_at, (run.migrated_at ?? 0) + MIGRATION_ERASE_DAYS * DAY)
    // The run did not read these files: a later one, a replaced one, a link.
    await writeFile(join(fixture.folder, 'payloads-3.csv'), 'LegacyPayloadReference\n')
    await writeFile(join(fixture.folder, 'users.csv'), 'UserReference\nsomebody else\n')
    await rm(join(fixture.folder, 'groups.csv'))
    await mkdir(join(fixture.folder, 'elsewhere'))
    await writeFile(join(fixture.folder, 'elsewhere/groups.csv'), 'Group\nLegacy desk\n')
    await symlink(join(fixture.folder, 'elsewhere/groups.csv'), join(fixture.folder, 'groups.csv'))
    await writeFile(join(fixture.folder, 'media/late.wav'), 'of another run')
    fixture.fixture.advance(MIGRATION_ERASE_DAYS * DAY - 1)
    await erase()
    assert.equal((await files()).length, all.length + 3)
    fixture.fixture.advance(1)
    await erase()
    assert.deepEqual(await files(), ['groups.csv', 'groups.csv', 'late.wav', 'payloads-3.csv', 'users.csv'])
    const { sources_erase_at, sources_erased_at } = await fixture.read(run.migration_reference)
    assert.equal(sources_erase_at, null)
    assert.equal(sources_erased_at, fixture.ctx.now())
    const entries = await fixture.sql<{ erased: number }>(
      `select (parameters::jsonb #>> '{body,erased}')::int as erased from portal_activities where action = 'migrations:erase'`,
    )
    assert.deepEqual(entries, [{ erased: all.length - 2 }])
    await erase()
    assert.equal((await files()).length, 5)
  })

  it('are kept if the stored data differs or a row of the file was not imported', async () => {
    const sql = (name: string, device: string) => `${name},Photo,${device},2024-01-01T00:00:00Z,${name}.png\n`
    const head = 'LegacyPayloadReference,PayloadType,DeviceReference,PayloadTime,MediaFile\n'
    await rm(fixture.folder, { recursive: true })
    await fixture.drop({
      'payloads-a.csv': head + sql('P1', 'legacy-phone-1'),
      'payloads-b.csv': head + sql('P2', 'legacy-phone-1'),
      'media/P1.png': Buffer.from('89504e470d0a1a0a01', 'hex'),
      'media/P2.png': Buffer.from('89504e470d0a1a0a02', 'hex'),
    })
    await fixture.run()
    await fixture.fixture.work()
    // Simulates stored content that differs or is incomplete.
    await fixture.sql(
      `update migration_results set source_sha256 = repeat('0', 64) where item = 'P1' and payload_id is not null`,
    )
    await fixture.drop({ 'payloads-c.csv': head + sql('P3', 'unknown'), 'media/P3.png': 'x' })
    const partly = await fixture.run()
    assert.equal(partly.migration_state, 'PartialFail')
    assert.equal(partly.sources_erase_at, null)
    fixture.fixture.advance(MIGRATION_ERASE_DAYS * DAY)
    await erase()
    assert.deepEqual(await files(), ['P1.png', 'P3.png', 'payloads-a.csv', 'payloads-c.csv'])
  })

  it('are kept after a run with errors until a later run without errors has read them', async () => {
    const head = 'LegacyPayloadReference,PayloadType,DeviceReference,PayloadTime,MediaFile\n'
    const row = (name: string, device = 'legacy-phone-1') =>
      `${name},Photo,${device},2024-01-01T00:00:00Z,${name}.png\n`
    const png = (n: number) => Buffer.from(`89504e470d0a1a0a${n}`, 'hex')
    const days = () => fixture.fixture.advance(MIGRATION_ERASE_DAYS * DAY)
    await rm(fixture.folder, { recursive: true })
    await fixture.drop({
      'payloads-d.csv': head + row('Q1') + row('Q2', 'unknown'),
      'media/Q1.png': png(11),
      'media/Q2.png': png(12),
    })
    const all = await files()
    const first = await fixture.run()
    await fixture.fixture.work()
    assert.deepEqual([first.migration_state, first.settled_by], ['PartialFail', null])
    const again = await fixture.run({ retry_of: first.migration_reference })
    assert.equal(again.migration_state, 'Failed')
    days()
    await erase()
    assert.deepEqual(await files(), all)
    // A run without errors over other files does not settle these.
    await rm(join(fixture.folder, 'payloads-d.csv'))
    await fixture.drop({ 'groups.csv': 'Group\nQ desk\n' })
    assert.equal((await fixture.run()).migration_state, 'Migrated')
    assert.equal((await fixture.read(first.migration_reference)).settled_by, null)
    await rm(join(fixture.folder, 'groups.csv'))
    await fixture.drop({ 'payloads-d.csv': head + row('Q1') + row('Q2') })
    const dry = await fixture.run({ is_dry_run: true })
    assert.equal(dry.migration_state, 'Migrated')
    assert.equal(
      (await fixture.read(first.migration_reference)).settled_by,
      null,
      'a dry run imported nothing',
    )
    const last = await fixture.run({ retry_of: again.migration_reference })
    await fixture.fixture.work()
    assert.equal(last.migration_state, 'Migrated')
    for (const { migration_reference } of [first, again]) {
      const run = await fixture.read(migration_reference)
      assert.equal(run.settled_by, last.migration_reference)
      assert.equal(run.sources_erase_at, (last.migrated_at ?? 0) + MIGRATION_ERASE_DAYS * DAY)
    }
    fixture.fixture.advance(MIGRATION_ERASE_DAYS * DAY - 1)
    await erase()
    assert.deepEqual(await files(), all)
    fixture.fixture.advance(1)
    await erase()
    assert.deepEqual(await files(), [])
    assert.notEqual((await fixture.read(first.migration_reference)).sources_erased_at, null)
  })

  it('are kept if a row that an earlier run imported is stored with different content', async () => {
    const head =
      'LegacyPayloadReference,PayloadType,DeviceReference,PayloadTime,Direction,ThreadId,Parties,Text\n'
    const row = (name: string, device = 'legacy-phone-1') =>
      `${name},SMS,${device},2024-01-01T00:00:00Z,I,t,+441,Hello ${name}\n`
    await fixture.drop({ 'payloads-e.csv': head + row('R1') + row('R2', 'unknown') })
    const first = await fixture.run()
    await fixture.fixture.work()
    await fixture.sql(
      `update migration_results set source_sha256 = repeat('0', 64) where item = 'R1' and payload_id is not null`,
    )
    await fixture.drop({ 'payloads-e.csv': head + row('R1') + row('R2') })
    const last = await fixture.run({ retry_of: first.migration_reference })
    await fixture.fixture.work()
    assert.equal(last.migration_state, 'Migrated')
    fixture.fixture.advance(MIGRATION_ERASE_DAYS * DAY)
    await erase()
    assert.deepEqual(await files(), ['payloads-e.csv'])
  })

  it('are kept while another run is in progress', async () => {
    await rm(fixture.folder, { recursive: true })
    await fixture.drop({ 'groups.csv': 'Group\nAnother desk\n' })
    const run = await fixture.run()
    fixture.fixture.advance(MIGRATION_ERASE_DAYS * DAY)
    const next = await fixture.start()
    await erase()
    assert.deepEqual(await files(), ['groups.csv'])
    await fixture.carryOut(next)
    await erase()
    assert.deepEqual(await files(), [])
    assert.notEqual((await fixture.read(run.migration_reference)).sources_erased_at, null)
  })

  it('are the only unencrypted copies of their content', async () => {
    await rm(fixture.folder, { recursive: true, force: true })
    const secret = 'a sentence that no disk contains 4711'
    const head =
      'LegacyPayloadReference,PayloadType,DeviceReference,PayloadTime,Direction,ThreadId,Parties,Text,MediaFile\n'
    await fixture.drop({
      'payloads.csv': `${head}S1,SMS,legacy-phone-1,2024-01-01T00:00:00Z,I,t,+441,${secret},\n`,
      'payloads-2.csv': `${head}S2,Diagnostics,legacy-phone-1,2024-01-01T00:00:00Z,,,,,secret.bin\n`,
      'media/secret.bin': secret.repeat(1000),
    })
    await fixture.run()
    await fixture.fixture.work()
    const found: string[] = []
    for (const entry of await readdir(fixture.ctx.config.dataDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      if (!path.startsWith(fixture.folder) && (await holds(path, secret))) found.push(path)
    }
    assert.deepEqual(found, [])
  })
})

async function holds(path: string, secret: string): Promise<boolean> {
  return (await readFile(path)).includes(secret)
}
