/** Retention deletes due records completely, once, and no others, however often its process is killed. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { PayloadType } from '@custodia/contract'
import { decide, type RetentionRule } from '@custodia/domain'
import { setHold } from '../legal-holds/routes.ts'
import { migrationFixture } from '../testing/access-fixture.ts'
import { ingestFixture, type IngestFixture } from '../testing/ingest-fixture.ts'
import { LONG, getSeed } from '../testing/long.ts'
import { seeded } from '../testing/require-part.ts'
import { verifyArchive } from '../verify/verify.ts'

const DAY = 86_400
const PROCESS = fileURLToPath(new URL('../testing/killed-process.ts', import.meta.url))
/** How often it is killed at least. */
const KILLS = LONG ? 48 : 2
/** Messages uploaded for one pass; maximum ms, or acts, of a process before it is killed. */
const WAVE = LONG ? 80 : 16
const WITHIN = 800
const ACTS = 24
const TYPES = ['SMS', 'RCS', 'Diagnostics', 'MMS'] as const satisfies PayloadType[]

/** Both services, to delete and to destroy. */
const PASSES = 4

const getRule = (payload_type: PayloadType, days: Partial<RetentionRule>): RetentionRule => ({
  payload_type,
  ...days,
  retention_timestamp: 'payload_time',
  required_receipts: [],
  required_transfers: [],
})
const RULES = [
  getRule('SMS', { delete_after_days: 0, destroy_after_days: 0 }),
  getRule('RCS', { destroy_after_days: 0 }),
  getRule('Diagnostics', { delete_after_days: 0, destroy_after_days: 400 }),
  getRule('MMS', { delete_after_days: 30, destroy_after_days: 0 }),
]

/** A payload before any deletion. */
interface UploadedPayload {
  payload_id: number
  payload_reference: string
  /** Of all its keys, and where its objects lie. */
  names: Buffer[]
  objects: string[]
  expected: 'Processed' | 'Deleted' | 'Destroyed'
}

describe('retention with a killed process', () => {
  let fixture: IngestFixture
  const random = seeded(getSeed(97))
  before(async () => {
    fixture = await ingestFixture()
    await fixture.sql(
      `insert into retention_policies values ($1, 1, $2, '[]', true, null, 1, 'test (system)')`,
      [acme().client_id, JSON.stringify(RULES.map((rule) => ({ entity_type: 'Payload', ...rule })))],
    )
    await fixture.ctx.db.write(acme().client_id, (tx) =>
      setHold(tx, { target_type: 'DeviceUser', target: 'nina' }, { by: 'test (system)', reason: undefined }),
    )
  })
  after(() => fixture?.close())
  const acme = () => ({ client: 'acme', client_id: fixture.accounts.acme.client_id })

  /** Uploads messages of any age, some on hold, with the expected `decide`; days count from their arrival. */
  async function upload(): Promise<UploadedPayload[]> {
    const [phone, held] = [await fixture.phone('acme'), await fixture.phone('acme')]
    for (const table of ['devices', 'device_history'])
      await fixture.sql(
        `update ${table} t set device_user_id = u.device_user_id, group_id = u.group_id from device_users u
         where u.client_id = t.client_id and device_user_reference = 'nina'
           and t.device_id = (select device_id from devices where device_reference = $1)`,
        [held.device_reference],
      )
    const now = fixture.ctx.now()
    const uploaded: UploadedPayload[] = []
    for (let i = 0; i < WAVE; i++) {
      const type = TYPES[i % TYPES.length] ?? 'SMS'
      const payload_time = now - 10 * DAY - Math.floor(random() * 50 * DAY)
      const data = Buffer.from(
        type === 'Diagnostics' ? `{"line":${i}}` : JSON.stringify({ text: `said ${i}` }),
      )
      const isHeld = random() < 0.2
      const from = isHeld ? held : phone
      const { payload_reference, payload_id, state } = await fixture.upload(from, type, data, {
        payload_time,
      })
      assert.equal(state, 'Processed')
      const [kept] = await fixture.sql<{ names: Buffer[]; objects: string[] }>(
        `select array(select wrapped_dek from payload_objects where payload_id = $1 and wrapped_dek is not null
             union all select dek_key from payload_envelopes where payload_id = $1 and dek_key is not null) as names,
           array(select object_key from payload_objects where payload_id = $1) as objects`,
        [payload_id],
      )
      assert.ok(kept && kept.names.length > 1 && kept.objects.length > 0)
      const expected = getEnd({ type, payload_time, isHeld }, now)
      uploaded.push({ payload_id, payload_reference, ...kept, expected })
    }
    return uploaded
  }

  /**
   * Runs the process until it is killed at any moment or between two acts, or exits; resolves to whether it was
   * killed.
   */
  async function run(isToBeKilled: boolean): Promise<boolean> {
    const acts = isToBeKilled && random() < 0.7 ? [String(1 + Math.floor(random() * ACTS))] : []
    const child = spawn(process.execPath, [PROCESS, 'retention', 'acme', String(acme().client_id), ...acts], {
      env: { ...process.env, DATABASE_URL: fixture.connection, CUSTODIA_DATA: fixture.ctx.config.dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit') as Promise<[code: number | null]>
    await Promise.race([once(child.stdout, 'data'), ended])
    if (isToBeKilled && acts.length === 0) {
      await Promise.race([sleep(random() * WITHIN), ended])
      child.kill('SIGKILL')
    }
    const [code] = await ended
    if (code !== null) assert.equal(code, 0)
    return code === null
  }
  /**
   * Whether no work is left. The process itself cannot tell, because it skips rows that the killed one still locks.
   */
  const isOver = async () => {
    const [left] = await fixture.sql<{ is_over: boolean }>(
      `select (select count(*) = ${PASSES} and every(ended_at is not null and began_at > extract(epoch from now()) - ${DAY}) from retention_positions)
         and not exists (select from destruction_intents) and not exists (select from destruction_runs r
           where ended_at is null or payloads > 0 and not exists (select from destruction_certificates c where c.run_id = r.run_id)) as is_over`,
    )
    return left?.is_over === true
  }

  const getState = async ({ payload_reference }: UploadedPayload) =>
    (await fixture.state(payload_reference))?.state
  const lost = async ({ names }: UploadedPayload) => (await fixture.ctx.keys.missing(names)).length
  /** How often each payload and certificate occurs in the ledger in the keystore. */
  async function noted(): Promise<Map<string, number>> {
    const { ledger } = fixture.ctx.keys
    const times = new Map<string, number>()
    for (const file of (await ledger.sizes()).keys())
      for await (const { json } of ledger.read(ledger.start(file))) {
        const line = JSON.parse(json) as { payload_reference?: string; run_id: string; part: number }
        const of = line.payload_reference ?? `certificate ${line.run_id} ${line.part}`
        times.set(of, (times.get(of) ?? 0) + 1)
      }
    return times
  }

  it(`deletes and destroys exactly the due payloads after ${KILLS} kills`, async (t) => {
    const all: UploadedPayload[] = []
    let kills = 0
    for (let wave = 0; kills < KILLS; wave++) {
      const uploaded = await upload()
      all.push(...uploaded)
      // As on the next day.
      await fixture.sql(`update retention_positions set began_at = began_at - ${DAY + 10}`)
      do {
        if (await run(kills < KILLS)) kills += 1
        // A key is erased only after its payload is destroyed and is in the ledger files.
        const lines = await noted()
        for (const each of uploaded) {
          if ((await lost(each)) === 0) continue
          assert.ok(lines.has(each.payload_reference), `${each.payload_reference} is in no ledger`)
          assert.equal(await getState(each), 'Destroyed')
        }
      } while (!(await isOver()))
      for (const each of uploaded) assert.equal(await getState(each), each.expected, `wave ${wave}`)
    }
    const ends = Map.groupBy(all, ({ expected }) => expected)
    t.diagnostic(`${kills} kills, ${[...ends].map(([end, some]) => `${some.length} ${end}`).join(', ')}`)
    assert.equal(ends.size, 3)

    const lines = await noted()
    for (const each of all) {
      const isDestroyed = each.expected === 'Destroyed'
      assert.equal(await lost(each), isDestroyed ? each.names.length : 0)
      assert.equal(lines.has(each.payload_reference), isDestroyed)
      for (const object of each.objects)
        assert.equal((await fixture.ctx.objects.head(object)) === undefined, isDestroyed)
    }
    // Each certificate exists once, in the keystore and in the database.
    assert.deepEqual(
      [...lines].filter(([of]) => of.startsWith('certificate ')).toSorted(),
      (
        await fixture.sql<{ of: string }>(
          `select 'certificate ' || run_id || ' ' || part as of from destruction_certificates order by of`,
        )
      ).map(({ of }) => [of, 1]),
    )
    const destroyed = ends.get('Destroyed')?.map(({ payload_reference }) => payload_reference) ?? []
    const listed = async (sql: string) =>
      (await fixture.sql<{ reference: string }>(sql)).map(({ reference }) => reference).toSorted()
    for (const sql of [
      'select payload_reference as reference from destruction_ledger',
      'select payload_reference as reference from destruction_ends join payloads using (payload_id)',
      `select p ->> 'payload_reference' as reference from destruction_certificates, jsonb_array_elements(body::jsonb -> 'payloads') p`,
      // Their remaining rows have no content.
      `select payload_reference as reference from payloads join payload_envelopes using (payload_id)
       where sealed_meta = '' and not exists (select from payload_documents d where d.payload_id = payloads.payload_id)`,
    ])
      assert.deepEqual(await listed(sql), destroyed.toSorted(), sql)
    assert.deepEqual(await listed('select payload_id::text as reference from destruction_intents'), [])
    const [log] = await fixture.sql<{ deleted: number; destroyed: number }>(
      `select sum((parameters::jsonb #>> '{body,deleted}')::int)::int as deleted,
         sum((parameters::jsonb #>> '{body,destroyed}')::int)::int as destroyed from portal_activities`,
    )
    const deleted = all.length - (ends.get('Processed')?.length ?? 0)
    assert.deepEqual(log, { deleted, destroyed: destroyed.length })
    const { findings, problem } = await verifyArchive(fixture.ctx, { open: { of: 1, rest: 0 } })
    assert.deepEqual(findings, [], problem)
  })
})

/** The final state of a new message by the pure decision, repeated after its deletion. */
function getEnd(
  { type, payload_time, isHeld }: { type: PayloadType; payload_time: number; isHeld: boolean },
  now: number,
): UploadedPayload['expected'] {
  const policy = { rules: RULES, minimums: [] }
  const holds = isHeld ? [{ from: now, until: null }] : []
  const there = {
    payload_type: type,
    payload_state: 'Processed' as const,
    state_before_deletion: null,
    deleted_at: null,
    payload_time,
    announced_at: now,
    processed_at: now,
    transferred_at: null,
    receipt_confirmed_at: null,
    restored_at: null,
    is_late: true,
    is_alerted: true,
    is_written_off: false,
    awaits_sign_off: false,
  }
  const ask = (payload: Parameters<typeof decide>[0]['payload']) =>
    decide({ payload, policy, holds, receipts: [], transfers: [] }, now).verdict
  if (ask(there) === 'keep') return 'Processed'
  const gone = { ...there, payload_state: 'Deleted' as const, state_before_deletion: there.payload_state }
  return ask({ ...gone, deleted_at: now }) === 'destroy' ? 'Destroyed' : 'Deleted'
}

/** A migration whose process is killed loses and duplicates no row, and matches its dry run. */
/** How often it is killed at least, and rows of recordings. */
const KILLED_MIGRATIONS_KILLS = LONG ? 20 : 1
const ROWS = LONG ? 4000 : 200
/** Milliseconds after which a process is killed at the latest. */
const KILLED_MIGRATIONS_WITHIN = LONG ? 900 : 150
const PEOPLE = 40

describe('a migration with a killed process', () => {
  let fixture: Awaited<ReturnType<typeof migrationFixture>>
  const random = seeded(getSeed(43))
  before(async () => void (fixture = await migrationFixture()))
  after(() => fixture?.close())

  /** Runs the process until it is killed or exits; resolves to whether it was killed. */
  async function run(reference: string, isToBeKilled: boolean): Promise<boolean> {
    const { client, client_id } = fixture.account
    const child = spawn(process.execPath, [PROCESS, 'migration', client, String(client_id), reference], {
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
      await Promise.race([sleep(random() * KILLED_MIGRATIONS_WITHIN), ended])
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

  it(`imports each row exactly once after ${KILLED_MIGRATIONS_KILLS} kills`, async (t) => {
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
      if (await run(reference, kills < KILLED_MIGRATIONS_KILLS)) kills++
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
    const { findings, problem } = await verifyArchive(fixture.ctx, { open: { of: 1, rest: 0 } })
    assert.deepEqual(findings, [], problem)
  })
})
