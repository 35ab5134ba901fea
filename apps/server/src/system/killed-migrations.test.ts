/** A migration whose process is killed loses and duplicates no row, and matches its dry run. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { migrationFixture } from '../testing/migration-fixture.ts'
import { seeded } from '../testing/seeded.ts'
import { verifyArchive } from '../verify/verify.ts'
import { LONG } from '../testing/long.ts'

const PROCESS = fileURLToPath(new URL('../testing/migration-process.ts', import.meta.url))
/** How often it is killed at least, and rows of recordings. */
const KILLS = LONG ? 20 : 1
const ROWS = LONG ? 4000 : 200
/** Milliseconds after which a process is killed at the latest. */
const WITHIN = LONG ? 900 : 150
const PEOPLE = 40

describe('a migration with a killed process', () => {
  let fixture: Awaited<ReturnType<typeof migrationFixture>>
  const random = seeded(43)
  before(async () => void (fixture = await migrationFixture()))
  after(() => fixture?.close())

  /** Runs the process until it is killed or exits; resolves to whether it was killed. */
  async function run(reference: string, isToBeKilled: boolean): Promise<boolean> {
    const { client, client_id } = fixture.account
    const child = spawn(process.execPath, [PROCESS, client, String(client_id), reference], {
      env: {
        ...process.env,
        DATABASE_URL: fixture.fixture.connection,
        CUSTODIA_DATA: fixture.ctx.config.dataDir,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let stated = ''
    child.stdout.on('data', (chunk: Buffer) => (stated += chunk.toString()))
    const ended = once(child, 'exit') as Promise<[code: number | null]>
    await Promise.race([once(child.stdout, 'data'), ended])
    if (isToBeKilled) {
      await Promise.race([sleep(random() * WITHIN), ended])
      child.kill('SIGKILL')
    }
    const [code] = await ended
    if (code === null) return true
    assert.equal(code, 0)
    memory = stated.split('\n')[1] ?? ''
    return false
  }
  let memory = ''
  const readState = async (reference: string) =>
    (await fixture.results(reference)).map(({ item, result_type, filename, line, faults }) =>
      JSON.stringify([item, result_type, filename, line, faults]),
    )

  it(`imports each row exactly once after ${KILLS} kills`, async (t) => {
    const users = Array.from({ length: PEOPLE }, (_, i) => `legacy-${i},Person,Desk ${i % 3}\n`)
    const devices = Array.from({ length: PEOPLE }, (_, i) => `phone-${i},legacy-${i}\n`)
    const rows = Array.from({ length: ROWS }, (_, i) => {
      const at = 1_700_000_000 + i
      // Some rows occur twice, some have no person, some have no data.
      const phone = `phone-${i % (PEOPLE + 1)}`
      if (i % 50 === 49) return `L${i - 10},SMS,${phone},${at},I,t,+441,again,\n`
      if (i % 10 === 9) return `L${i},Photo,${phone},${at},,,,,${i % 20 === 19 ? 'none.png' : 'a.png'}\n`
      return `L${i},SMS,${phone},${at},I,thread ${i % 7},+44${i % 100},Hello ${i},\n`
    })
    await fixture.drop({
      'groups.csv': 'Group\nDesk 0\nDesk 1\nDesk 2\n',
      'users.csv': `UserReference,FirstName,Group\n${users.join('')}`,
      'devices.csv': `DeviceReference,UserReference\n${devices.join('')}`,
      'payloads.csv': `LegacyPayloadReference,PayloadType,DeviceReference,PayloadTime,Direction,ThreadId,Parties,Text,MediaFile\n${rows.join('')}`,
      'media/a.png': Buffer.from('89504e470d0a1a0a', 'hex'),
    })
    const dry = await fixture.start({ is_dry_run: true })
    for (let kills = 0; (await fixture.read(dry)).migrated_at === null;)
      if (await run(dry, kills < 2)) kills++
    const reference = await fixture.start()
    const begun = performance.now()
    let kills = 0
    while ((await fixture.read(reference)).migrated_at === null)
      if (await run(reference, kills < KILLS)) kills++
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    t.diagnostic(`${kills} kills, ${ROWS} rows, ${seconds} s, ${memory}`)
    assert.ok(kills > 0)
    const stated = await readState(reference)
    assert.deepEqual(stated, await readState(dry), 'the dry run said otherwise')
    assert.equal(stated.length, 3 + 2 * PEOPLE + ROWS)
    const run_ = await fixture.read(reference)
    assert.equal(run_.total_payloads, ROWS)
    const [counts] = await fixture.sql<{ payloads: number; legacy: number; distinct: number }>(
      `select (select count(*)::int from payloads where is_legacy) as payloads, (select count(payload_id)::int from legacy_payloads) as legacy,
         (select count(distinct payload_id)::int from migration_results where migration_reference = $1) as distinct`,
      [reference],
    )
    const made = run_.new_payloads
    assert.ok(made > ROWS / 2)
    assert.deepEqual(counts, { payloads: made, legacy: made, distinct: made })
    if (ROWS > 5000) return
    // The process without a worker left its jobs queued.
    fixture.fixture.advance(600)
    await fixture.fixture.sweep()
    await fixture.fixture.work()
    const states = await fixture.sql<{ name: string }>(
      `select distinct s.name from payloads p join payload_states s on s.code = p.state where p.is_legacy`,
    )
    assert.deepEqual(states, [{ name: 'Processed' }])
    const { findings, problem } = await verifyArchive(fixture.ctx, { open: { of: 1, rest: 0 }, threads: 2 })
    assert.deepEqual(findings, [], problem)
  })
})
