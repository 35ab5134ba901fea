/** Malformed files: each has a clear result, the other rows are imported, and nothing is lost or altered. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { MigrationRun } from '@custodia/contract'
import { migrationFixture } from '../testing/access-fixture.ts'
import { COLUMNS_LIMIT } from './read-rows.ts'

const HEAD = 'LegacyPayloadReference,PayloadType,UserReference,PayloadTime,Direction,ThreadId,Parties,Text\n'
const sms = (name: string, text = 'Hello', parties = '+441') =>
  `${name},SMS,old-ann,2024-01-01T00:00:00Z,I,t,${parties},${text}\n`
const json = (row: object) =>
  `${JSON.stringify({ PayloadType: 'SMS', UserReference: 'old-ann', PayloadTime: '2024-01-01', Direction: 'I', Parties: ['+441'], ...row })}\n`
const MEDIA_HEAD = 'LegacyPayloadReference,PayloadType,UserReference,PayloadTime,MediaFile\n'
const photo = (name: string, file: string) => `${name},Photo,old-ann,2024-01-01T00:00:00Z,${file}\n`

const fixture = await migrationFixture()
after(() => fixture.close())
await fixture.drop({
  'users.csv': 'UserReference\nold-ann\n',
  'devices.csv': 'DeviceReference,UserReference\nold-phone,old-ann\n',
})
assert.equal((await fixture.run()).migration_state, 'Migrated')

describe('a malformed migration file', () => {
  /** Results of a run for each row and file; asserts that a dry run reports the same. */
  async function readState(files: Readonly<Record<string, string | Buffer>>) {
    await rm(fixture.folder, { recursive: true, force: true })
    await mkdir(fixture.folder, { recursive: true })
    await fixture.drop(files)
    return again({})
  }
  async function again(options: { retry_of?: string }): Promise<{ run: MigrationRun; stated: string[] }> {
    const readText = async (run: MigrationRun) =>
      (await fixture.results(run.migration_reference)).map(
        ({ item, line, result_type, faults }) =>
          `${line} ${item} ${result_type}${faults.map(({ path, code }) => ` ${path} ${code}`).join('')}`,
      )
    const dry =
      options.retry_of === undefined ? await readText(await fixture.run({ is_dry_run: true })) : undefined
    const run = await fixture.run(options)
    const found = await readText(run)
    if (dry) assert.deepEqual(found, dry, 'the dry run differed')
    return { run, stated: found }
  }

  it('reports not_text for each row that is not valid UTF-8', async () => {
    const row = sms('E2', 'Jörg')
    const { stated } = await readState({
      'payloads-1.csv': Buffer.concat([
        Buffer.from(HEAD + sms('E1', 'Jörg \uFFFD')),
        Buffer.from(row, 'latin1'),
        Buffer.from(sms('E3')),
        Buffer.from(sms('E4', 'Jörg').trimEnd()).subarray(0, -3),
      ]),
      'payloads-2.csv': Buffer.from(`\uFEFF${HEAD}${sms('E5')}`, 'utf16le'),
      'payloads-3.csv': `\uFEFF${HEAD}${sms('E6')}`,
      'payloads-4.ndjson': `\uFEFF${json({ LegacyPayloadReference: 'E7' })}`,
      'payloads-5.csv': HEAD + sms('E8', 'a\0b') + sms('E9'),
    })
    assert.deepEqual(stated, [
      '2 E1 PayloadCreated',
      '3  Error row not_text',
      '4 E3 PayloadCreated',
      '5  Error row not_text',
      '1  Error row not_text',
      '2 E6 PayloadCreated',
      '1 E7 PayloadCreated',
      '2  Error row not_text',
      '3 E9 PayloadCreated',
    ])
  })

  it('reports not_unique where a column or field occurs twice', async () => {
    const head = HEAD.replace('Direction', 'legacy_payload-reference')
    const { run, stated } = await readState({
      'payloads-1.csv': head + sms('D1'),
      'payloads-2.ndjson':
        json({ LegacyPayloadReference: 'D2', legacy_payload_reference: 'D3' }) +
        json({ LegacyPayloadReference: 'D4' }) +
        json({ LegacyPayloadReference: 'D6' }).replace('}', ',"Direction":"O"}') +
        json({ LegacyPayloadReference: 'D7' }).replace('}', String.raw`,"Dir\u0065ction" : "O"}`) +
        json({ LegacyPayloadReference: 'D8' }).replace('{', '{"Text":null,"text":"kept",') +
        json({ LegacyPayloadReference: 'D9', Text: '"Text":"\\", "Text" : \\', Parties: ['Text:', 'x'] }),
    })
    assert.deepEqual(stated, [
      '1  Error legacy_payload-reference not_unique',
      '1  Error legacy_payload_reference not_unique',
      '2 D4 PayloadCreated',
      '3  Error Direction not_unique',
      '4  Error Direction not_unique',
      '5  Error text not_unique',
      '6 D9 PayloadCreated',
    ])
    // A retry reports rows that were not read before, also those with errors.
    await fixture.drop({
      'payloads-1.csv': HEAD + sms('D1') + sms('D5').replace('old-ann', 'unknown'),
      'payloads-2.ndjson': json({ LegacyPayloadReference: 'D4' }),
    })
    const next = await again({ retry_of: run.migration_reference })
    assert.deepEqual(next.stated, ['2 D1 PayloadCreated', '3 D5 PayloadWithNoMatchingUser'])
    assert.equal(next.run.migration_state, 'PartialFail')
  })

  it('is imported up to a line that is too long or a quote that is not closed', async () => {
    const long = 'x'.repeat(10 * 1024 ** 2)
    const { run, stated } = await readState({
      'payloads-1.csv': HEAD + sms('L1') + sms('L2', long) + sms('L3'),
      'payloads-2.ndjson':
        json({ LegacyPayloadReference: 'L4' }) + json({ LegacyPayloadReference: 'L5', Text: long }),
      'payloads-3.csv': HEAD + sms('L6') + sms('L7', '"open') + sms('L8'),
    })
    assert.deepEqual(stated, [
      '2 L1 PayloadCreated',
      '3  Error row too_long',
      '1 L4 PayloadCreated',
      '2  Error row too_long',
      '2 L6 PayloadCreated',
      '3  Error row invalid',
    ])
    await fixture.drop({
      'payloads-1.csv': HEAD + sms('L1') + sms('L2') + sms('L3'),
      'payloads-2.ndjson': json({ LegacyPayloadReference: 'L4' }) + json({ LegacyPayloadReference: 'L5' }),
      'payloads-3.csv': HEAD + sms('L6') + sms('L7', '"open"') + sms('L8'),
    })
    const next = await again({ retry_of: run.migration_reference })
    assert.equal(next.run.migration_state, 'Migrated')
    assert.deepEqual(
      next.stated,
      ['3 L2', '4 L3', '2 L5', '3 L7', '4 L8'].map((each) => `${each} PayloadCreated`),
    )
  })

  it('reports a heading with too many columns or one line for all rows', async () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, '']))
    const wide = (more: number) => `${Object.keys(fields(COLUMNS_LIMIT - 8 + more)).join(',')},${HEAD}`
    const object = (name: string, more: number) =>
      json({ LegacyPayloadReference: name, ...fields(COLUMNS_LIMIT - 6 + more) })
    const { stated } = await readState({
      'users-2.csv': 'UserReference\rann\rbob\r',
      'payloads-1.csv': wide(0) + ','.repeat(COLUMNS_LIMIT - 8) + sms('W1'),
      'payloads-2.csv': wide(1) + ','.repeat(COLUMNS_LIMIT - 7) + sms('W2'),
      'payloads-3.ndjson': object('W3', 0) + object('W4', 1),
    })
    assert.deepEqual(stated, [
      '1  Error row invalid',
      '2 W1 PayloadCreated',
      '1  Error row too_many',
      '1 W3 PayloadCreated',
      '2  Error row too_many',
    ])
  })

  it('reports names of a manifest that cannot be stored', async () => {
    const { stated } = await readState({
      'payloads.csv': HEAD + sms('F1'),
      'manifest.json': JSON.stringify({ 'a\0b': '', 'c\uD800d': '', ['e'.repeat(600)]: '' }),
    })
    const names = ['a\uFFFDb', 'c\uFFFDd', 'e'.repeat(500)]
    assert.deepEqual(stated, [
      ...names.map((name) => `null ${name} FileDigestMismatch filename unknown_reference`),
      '2 F1 PayloadCreated',
    ])
  })

  it('does not end the run with deeply nested values, and reports at most 20 faults per row', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const { run, stated } = await readState({
      'payloads-1.ndjson':
        json({ LegacyPayloadReference: 'N1' }).replace('["+441"]', deep) +
        json({ LegacyPayloadReference: 'N2', Parties: [{ number: '+441' }] }) +
        json({ LegacyPayloadReference: 'N3' }),
      'payloads-2.csv':
        HEAD + sms('N4', 'Hello', ';'.repeat(200_000)) + sms('N5') + sms('N6', 'Hello', ';'.repeat(60)),
    })
    const [deeply, within, good, many = '', last, some = ''] = stated
    assert.deepEqual(
      [deeply, within, good, last],
      ['1  Error row invalid', '2  Error row invalid', '3 N3 PayloadCreated', '3 N5 PayloadCreated'],
    )
    assert.match(many, /^2 N4 Error /)
    assert.match(some, /^4 N6 Error /)
    const all = await fixture.results(run.migration_reference)
    assert.deepEqual(
      all.filter(({ faults }) => faults.length > 20).map(({ item }) => item),
      [],
    )
  })

  it('cannot refer to files outside its folder by path or symbolic link', async () => {
    await rm(fixture.folder, { recursive: true, force: true })
    await mkdir(join(fixture.folder, 'media'), { recursive: true })
    const elsewhere = join(fixture.folder, '..', 'elsewhere')
    await mkdir(elsewhere, { recursive: true })
    await writeFile(join(elsewhere, 'secret.png'), 'secret')
    await symlink(join(elsewhere, 'secret.png'), join(fixture.folder, 'media', 'link.png'))
    await symlink(elsewhere, join(fixture.folder, 'media', 'folder'))
    await symlink(join(elsewhere, 'secret.png'), join(fixture.folder, 'users-2.csv'))
    await writeFile(
      Buffer.concat([Buffer.from(`${fixture.folder}/users-`), Buffer.from([0xf6]), Buffer.from('.csv')]),
      'UserReference\nlost\n',
    )
    const names = [
      '../elsewhere/secret.png',
      '../../../../../../etc/passwd',
      'link.png',
      'folder/secret.png',
      '/etc/passwd',
    ]
    await fixture.drop({
      'payloads.csv':
        MEDIA_HEAD + names.map((name, i) => photo(`M${i}`, name)).join('') + photo('M9', 'a.png'),
      'media/a.png': Buffer.from('89504e470d0a1a0a21', 'hex'),
    })
    const { run, stated } = await again({})
    assert.deepEqual(stated, [
      'null users-\uFFFD.csv UnknownFile',
      ...names.map((_, i) => `${i + 2} M${i} PayloadDataNotAvailable MediaFile unknown_reference`),
      `${names.length + 2} M9 PayloadCreated`,
    ])
    assert.equal(run.migration_state, 'PartialFail')
  })

  it('is stored as it is when it is an archive, and is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 ** 2))
    const { run, stated } = await readState({
      'payloads.zip': bomb,
      'payloads.csv': MEDIA_HEAD + photo('Z1', 'bomb.gz').replace('Photo', 'Diagnostics'),
      'media/bomb.gz': bomb,
    })
    assert.deepEqual(stated, ['null payloads.zip UnknownFile', '2 Z1 PayloadCreated'])
    await fixture.fixture.work()
    const rows = await fixture.sql<{ checksum: string }>(
      `select o.checksum from migration_results m join payload_objects o using (client_id, payload_id)
       where m.migration_reference = $1 and o.kind = 'original'`,
      [run.migration_reference],
    )
    assert.deepEqual(rows, [{ checksum: createHash('sha256').update(bomb).digest('hex') }])
  })
})
