import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { decideRecord, type PolicyVersion } from '@custodia/domain'
import { AuditLog } from '../../http/audit.ts'
import { RETENTION } from '../../http/context.ts'
import { seeded } from '../../testing/require-part.ts'
import { countRecordsDue } from './count-store.ts'
import { RECORD_KINDS } from './kind-store.ts'
import { fillRecords, type KnownRecord, recordsFixture, wrongDependentRows } from './records.test-support.ts'

const DAY = 86_400
/** Number of random policies and holds. */
const FIXTURES = 6
/** Records of each kind. */
const RECORDS = 600

/** Policy entries. */
const FOLLOWED = ['Device', 'PortalUser', 'SupportAccessRequest'] as const
const PEOPLE = Array.from({ length: 12 }, (_, i) => `person ${i}`)
const VISITORS = Array.from({ length: 9 }, (_, i) => [`visitor ${i}`, `visitor ${i} of old`]).flat()

const fixture = await recordsFixture(12)
after(() => fixture.drop())
const clock = fixture.clock

describe('records other than payloads', () => {
  const random = seeded(31)

  /** Creates records anew, sets these policies and places these holds. */
  async function anew(
    versions: readonly PolicyVersion[],
    held: readonly string[] = [],
  ): Promise<KnownRecord[]> {
    await fixture.clear()
    const records = await fillRecords(fixture.db, fixture.client_id, { clock, random, count: RECORDS })
    await fixture.savePolicies(versions)
    await fixture.hold(held)
    return records
  }
  const left = async () => {
    const rows = await fixture.owner<{ id: string }>(
      RECORD_KINDS.map(({ table, key }) => `select '${table}:' || ${key} as id from ${table}`).join(
        ' union all ',
      ),
    )
    const own = await fixture.owner<{ id: string }>(
      `select 'portal_activities:' || log_id as id from portal_activities where user_reference = $1`,
      [RETENTION],
    )
    const isOwn = new Set(own.map(({ id }) => id))
    return new Set(rows.flatMap(({ id }) => (isOwn.has(id) ? [] : [id])))
  }
  const everything = (destroy_after_days: number): PolicyVersion => ({
    at: 1,
    applies_to_kept: true,
    entries: FOLLOWED.map((entity_type) => ({ entity_type, destroy_after_days })),
  })

  it('are destroyed exactly when they are due and not held, for random policies', async () => {
    let destroyed = 0
    let kept = 0
    for (let n = 0; n < FIXTURES; n++) {
      const days = () => Math.floor(random() * 120)
      const versions: PolicyVersion[] = [1, 2, 3].map((place) => ({
        at: clock - (4 - place) * 70 * DAY,
        applies_to_kept: random() < 0.5,
        entries:
          random() < 0.85
            ? FOLLOWED.map((entity_type) => ({
                entity_type,
                delete_after_days: entity_type === 'Device' && random() < 0.5 ? days() : undefined,
                destroy_after_days: days(),
              }))
            : [],
      }))
      const held = [...PEOPLE, ...VISITORS].filter(() => random() < 0.15)
      const records = await anew(versions, held)
      const goes = (record: KnownRecord) =>
        decideRecord(record, { versions, holds: [] }, clock).verdict === 'destroy'
      const due = records.filter(goes)
      const expected = due.filter(({ people }) => !people.some((person) => held.includes(person)))
      const times = [0, 30, 90].map((days_) => clock + days_ * DAY)
      const result = await fixture.db.read(fixture.client_id, (q) => countRecordsDue(q, versions, times))
      for (const entity_type of FOLLOWED) {
        const ends = records.flatMap((record) =>
          record.follows === entity_type && !record.people.some((person) => held.includes(person))
            ? (decideRecord(record, { versions, holds: [] }, clock).goes_at ?? [])
            : [],
        )
        assert.deepEqual(
          result.find((each) => each.entity_type === entity_type)?.destroyed ?? [0, 0, 0],
          times.map((time) => ends.filter((at) => at <= time).length),
          `counted for ${entity_type}`,
        )
      }
      assert.equal(await fixture.run(), expected.length)
      const gone = new Set(expected.map(({ id }) => id))
      const there = await left()
      assert.deepEqual(
        records.filter(({ id }) => there.has(id) === gone.has(id)),
        [],
      )
      assert.equal(there.size, records.length - gone.size)
      assert.equal(await fixture.noted('destroyed'), expected.length)
      assert.deepEqual(await wrongDependentRows(fixture.db), [])
      assert.equal(await fixture.run(), 0, 'a second run expires nothing')
      destroyed += expected.length
      kept += due.length - expected.length
    }
    assert.ok(destroyed > 500 && kept > 50, `${destroyed} went, ${kept} were held`)
  })

  it('stay when the audit entry cannot be written, and are destroyed later', async () => {
    const all = (await anew([everything(0)])).length
    let written = 0
    const broken = { db: fixture.db, audit: new AuditLog(fixture.db) }
    const within = broken.audit.appendWithin.bind(broken.audit)
    broken.audit.appendWithin = async (tx, ...entries) => {
      if (++written > 2) throw new Error('the disk is full')
      return within(tx, ...entries)
    }
    await assert.rejects(fixture.run(broken), /disk is full/)
    const gone = all - (await left()).size
    assert.ok(gone > 0 && gone < all)
    assert.equal(await fixture.noted('destroyed'), gone)
    assert.equal(await fixture.run(), all - gone)
  })

  it('are destroyed once and logged once when several workers run', async () => {
    const all = (await anew([everything(0)])).length
    const shares = await Promise.all(Array.from({ length: 4 }, () => fixture.run()))
    // A worker that found a lock ends; the next pass leaves nothing.
    const later = await fixture.run()
    assert.equal(
      shares.reduce((sum, share) => sum + share, later),
      all,
    )
    assert.equal(await fixture.noted('destroyed'), all)
    assert.equal((await left()).size, 0)
  })

  it('are checked again after a day if they were skipped', async () => {
    const records = await anew([everything(0)], ['person 1'])
    const gone = await fixture.run()
    assert.ok(gone < records.length)
    await fixture.asReplica((write) => write('delete from legal_holds; delete from legal_hold_events'))
    assert.equal(await fixture.run(), 0, 'the pass skipped them')
    await fixture.owner(`update retention_record_positions set began_at = began_at - ${DAY + 10}`)
    assert.equal(await fixture.run(), records.length - gone)
  })

  it('stay while retention is paused', async () => {
    const all = (await anew([everything(0)])).length
    const pause = (is_paused: boolean) =>
      fixture.owner(
        `insert into retention_pauses values ($1, $2, null, 1, 'alice') on conflict (client_id) do update set is_paused = excluded.is_paused`,
        [fixture.client_id, is_paused],
      )
    await pause(true)
    assert.equal(await fixture.run(), 0)
    await pause(false)
    assert.equal(await fixture.run(), all)
  })

  it('are kept by a hold that is placed while they are being destroyed', async () => {
    const records = await anew([everything(0)])
    const person = records.flatMap(({ people }) => people)[0] ?? ''
    const tx = await fixture.db.owner.connect()
    await tx.query('begin; set local session_replication_role = replica')
    await tx.query(
      `select pg_advisory_xact_lock(hashtextextended('hold:' || $1::text || ':DeviceUser:' || $2, 0))`,
      [fixture.client_id, person],
    )
    const running = fixture.run()
    await tx.query(
      `insert into legal_hold_events (client_id, target_type, target, act, at, by) values ($1, 'DeviceUser', $2, 'set', 1, 'alice')`,
      [fixture.client_id, person],
    )
    await new Promise((done) => setTimeout(done, 300))
    await tx.query('commit')
    tx.release()
    const theirs = records.filter(({ people }) => people.includes(person)).length
    assert.equal(await running, records.length - theirs)
    assert.equal((await left()).size, theirs)
  })
})
