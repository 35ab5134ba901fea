/** A dry run reports the same results as the run, for random folders and interruptions. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { MIGRATION_RESULT_TYPES, type MigrationResultType } from '@custodia/contract'
import { migrationFixture } from '../testing/access-fixture.ts'
import { seeded } from '../testing/require-part.ts'

/** Number of random folders; set MIGRATION_FOLDERS for more. */
const FOLDERS = Number(process.env['MIGRATION_FOLDERS'] ?? 4)
const ROWS = 90
/** Maximum milliseconds before an interruption. */
const WITHIN = 250
/** Hostile cell content: formulas, cell ends, lone surrogates, NUL, other scripts, long text. */
const HOSTILE = [
  '=1+1',
  '"',
  '\0',
  'a\nb',
  '\uFEFF',
  '\u202Eevil',
  "'; drop table payloads; --",
  '__proto__',
  '../..',
  'x'.repeat(5000),
  '1e999',
  '%00',
  '😀',
]

describe('a dry run', () => {
  let fixture: Awaited<ReturnType<typeof migrationFixture>>
  const seen = new Set<MigrationResultType>()
  before(async () => void (fixture = await migrationFixture()))
  after(() => fixture?.close())
  const readState = async (reference: string) =>
    (await fixture.results(reference)).map(({ result_type, kind, item, filename, line, faults }) => ({
      result_type,
      kind,
      item,
      filename,
      line,
      faults,
    }))

  for (let seed = 1; seed <= FOLDERS; seed++)
    it(`reports the same results as the interrupted real run, folder ${seed}`, async () => {
      const random = seeded(seed * 97)
      const of = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
      const maybe = (value: string, chance = 0.5) => (random() < chance ? value : '')
      const odd = (value: string) => (random() < 0.04 ? of(HOSTILE) : value)
      const cell = (value: string) => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)
      const csv = (columns: string[], row: () => string[]) =>
        `${random() < 0.3 ? '\uFEFF' : ''}${columns.join(',')}${of(['\n', '\r\n'])}${Array.from(
          { length: ROWS },
          () =>
            row()
              .map((each) => cell(odd(each)))
              .join(','),
        ).join(of(['\n', '\r\n']))}`
      const person = () => `u${Math.floor(random() * 30)}`
      const phone = () => `d${Math.floor(random() * 40)}`
      const number = () => `+4477009000${10 + Math.floor(random() * 20)}`
      const time = () =>
        of(['2024-01-01T00:00:00Z', '1700000000', '2023-05-05 10:00', 'yesterday', '9999999999999'])
      const [on, off] = [seed === 4, seed % 3 === 2]
      await fixture.sql(
        `insert into migration_settings select client_id, $1, $2, $3, 30, 1, 'alice' from clients where client = 'acme'
         on conflict (client_id) do update set disable_onboarding = $1, disable_offboarding = $2, disable_payloads = $3`,
        [on, off, seed > 2 && random() < 0.3],
      )
      await rm(fixture.folder, { recursive: true, force: true })
      await fixture.drop({
        'groups.csv': csv(['Group'], () => [`Desk ${Math.floor(random() * 20)}`]),
        'users.csv': csv(
          ['UserReference', 'Group', 'FirstName', 'Email', 'IsActive', 'OffboardDate', 'UpdatedAt'],
          () => [
            person(),
            maybe(`Desk ${Math.floor(random() * 24)}`),
            maybe('Ann'),
            maybe(`${person()}@example.com`),
            maybe(of(['yes', 'no', 'perhaps']), 0.3),
            maybe(time(), 0.15),
            maybe(of(['1700000000', '1600000000']), 0.3),
          ],
        ),
        'devices.csv': csv(
          [
            'DeviceReference',
            'UserReference',
            'legacy_phone_number',
            'Model',
            'LastCall',
            'ToDate',
            'UpdatedAt',
          ],
          () => [
            phone(),
            maybe(person(), 0.8),
            maybe(number(), 0.7),
            maybe('X'),
            maybe(time(), 0.3),
            maybe('1700000000', 0.2),
            '',
          ],
        ),
        'payloads.csv': csv(
          [
            'LegacyPayloadReference',
            'PayloadType',
            'PayloadTime',
            'DeviceReference',
            'legacy_phone_number',
            'UserReference',
            'Parties',
            'Direction',
            'PartyNames',
            'ThreadId',
            'Text',
            'MediaFile',
            'DataFollows',
          ],
          () => [
            `L${seed < 4 ? seed : 4}-${Math.floor(random() * 120)}`,
            of(['SMS', 'SMS', 'Call', 'Photo', 'BlockedCall', 'Nothing']),
            of(['2024-01-01T00:00:00Z', '1700000000', '1700000001']),
            maybe(phone(), 0.6),
            maybe(number(), 0.3),
            maybe(person(), 0.4),
            of(['+441', '+441,+442', '']),
            of(['I', 'O', 'CC']),
            maybe('A;B', 0.2),
            't',
            'Hello',
            maybe(of(['a.png', 'b.png', 'none.png']), 0.5),
            maybe('yes', 0.15),
          ],
        ),
        'payloads-2.ndjson': Buffer.concat([
          Buffer.from(
            '{"LegacyPayloadReference":"\\ud800","PayloadType":"SMS"}\n{"a":{"b":1}}\n[1]\nnot json\n',
          ),
          Buffer.from([0xff, 0xfe, 0x80, 0x0a]),
          Buffer.from(
            '{"LegacyPayloadReference":"N\\u0000","PayloadType":"SMS","PayloadTime":1700000000}\n\n',
          ),
        ]),
        'media/a.png': Buffer.from('89504e470d0a1a0a', 'hex'),
        'media/b.png': Buffer.from('89504e470d0a1a0a00', 'hex'),
        'notes.txt': 'not imported',
        'manifest.json': random() < 0.3 ? 'broken' : '{}',
      })
      const dry = await fixture.run({ is_dry_run: true })
      const reference = await fixture.start()
      let broken = 0
      while ((await fixture.read(reference)).migrated_at === null) {
        const signal = broken < 8 ? AbortSignal.timeout(Math.ceil(random() * WITHIN)) : undefined
        await fixture.carryOut(reference, signal).catch((error: unknown) => {
          if (!signal?.aborted) throw error
          broken++
        })
      }
      const run = await fixture.read(reference)
      assert.equal(run.error_message, null)
      const results = await readState(reference)
      assert.deepEqual(results, await readState(dry.migration_reference))
      for (const { result_type } of results) seen.add(result_type)
      const [counts] = await fixture.sql<{ made: number; named: number }>(
        `select count(distinct payload_id)::int as made, count(distinct item)::int as named from migration_results
         where migration_reference = $1 and result_type in ('PayloadCreated', 'RecordedPayloadCreated') and payload_id is not null`,
        [reference],
      )
      assert.deepEqual(counts, { made: run.new_payloads, named: run.new_payloads })
    })

  it('covers all result types except those with tests of their own', () => {
    const never = MIGRATION_RESULT_TYPES.filter((type) => !seen.has(type))
    // These have their own tests: a scanner, a manifest, a legal hold.
    assert.deepEqual(
      never.filter((type) => !['FileQuarantined', 'FileDigestMismatch', 'IgnoreLegalHold'].includes(type)),
      [],
    )
  })
})
