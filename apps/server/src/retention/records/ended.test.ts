import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { decideRecord, type PolicyVersion } from '@custodia/domain'
import { RETENTION } from '../../http/context.ts'
import { seeded } from '../../testing/require-part.ts'
import { countRecordsDue } from './count-store.ts'
import { recordsFixture } from './records.test-support.ts'

const DAY = 86_400
/** Number of random policies, each with devices and users. */
const FIXTURES = 8
const PHONES = 70

/** Data that remains of a device or user. */
const LEFT = ['nothing', 'nothing', 'nothing', 'nothing', 'processed', 'recorded', 'command'] as const

interface Pair {
  n: number
  person: string
  device_id: number
  device_user_id: number
  since: number
  /** Null: in use. */
  deactivated_at: number | null
  offboarded_at: number | null
  /** In use, whatever the earlier date. */
  is_in_use: boolean
  is_recorded: boolean
  is_blocked: boolean
  is_waiting: boolean
  is_held: boolean
  left: (typeof LEFT)[number]
}

const fixture = await recordsFixture(PHONES)
after(() => fixture.drop())
const clock = fixture.clock

describe('unused devices and device users', () => {
  const random = seeded(71)

  const maybe = (chance: number) => random() < chance
  const some = () => clock - Math.floor(random() * 200) * DAY - 3600
  const deleted = async (noun: 'device' | 'device_user') =>
    (
      await fixture.owner<{ id: number }>(
        `select ${noun}_id as id from ${noun}s where client_id = $1 and deleted_at is not null order by 1`,
        [fixture.client_id],
      )
    ).map(({ id }) => id)
  const everything = (delete_after_days: number): PolicyVersion => ({
    at: 1,
    applies_to_kept: true,
    entries: (['Device', 'DeviceUser'] as const).map((entity_type) => ({ entity_type, delete_after_days })),
  })

  /** Creates devices and users anew and sets these policies. */
  async function anew(versions: readonly PolicyVersion[], change: Partial<Pair> = {}): Promise<Pair[]> {
    const [phones, people] = await Promise.all([
      fixture.owner<{ id: number }>('select device_id as id from devices where client_id = $1 order by 1', [
        fixture.client_id,
      ]),
      fixture.owner<{ id: number; person: string }>(
        'select device_user_id as id, device_user_reference as person from device_users where client_id = $1 order by 1',
        [fixture.client_id],
      ),
    ])
    const pairs = people.slice(0, phones.length).map(({ id: device_user_id, person }, n): Pair => ({
      n,
      person,
      device_user_id,
      device_id: phones[n]?.id ?? 0,
      since: some(),
      deactivated_at: maybe(0.8) ? some() : null,
      offboarded_at: maybe(0.8) ? some() : null,
      is_in_use: maybe(0.15),
      is_recorded: maybe(0.15),
      is_blocked: maybe(0.1),
      is_waiting: maybe(0.1),
      is_held: maybe(0.15),
      left: LEFT[Math.floor(random() * LEFT.length)] ?? 'nothing',
      ...change,
    }))
    await fixture.clear('payloads', 'device_commands', 'device_history', 'device_tokens')
    await fixture.asReplica((write) => {
      const x = `jsonb_to_recordset($2) as x(n int, device_id int, device_user_id int, since bigint, deactivated_at bigint, offboarded_at bigint,
        is_in_use boolean, is_recorded boolean, is_blocked boolean, is_waiting boolean, is_held boolean, "left" text)`
      return write(
        `with people as (update device_users u set deleted_at = null, is_active = x.offboarded_at is null or is_recorded, offboard_date = x.offboarded_at
           from ${x} where u.client_id = $1 and u.device_user_id = x.device_user_id),
         history as (insert into device_history (client_id, device_id, from_at, device_user_id, group_id)
           select $1::int, x.device_id, x.since, x.device_user_id, d.group_id from ${x} join devices d using (device_id)),
         commands as (insert into device_commands (client_id, command_reference, device_id, group_id, command, params, raised_by, sent_at)
           select $1, 'command ' || n, x.device_id, d.group_id, 'sync', '{}', 'alice', 1 from ${x} join devices d using (device_id) where "left" = 'command'),
         recordings as (insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, device_user_id, announced_at,
             updated_at)
           select $1, 'payload ' || n, 2, 4, case "left" when 'recorded' then 2 else 5 end, 1, d.group_id, x.device_id, x.device_user_id, 1, 1
           from ${x} join devices d using (device_id) where "left" in ('processed', 'recorded'))
         update devices d set deleted_at = null, is_deactivated = x.deactivated_at is not null and not is_in_use, deactivation_date = x.deactivated_at,
           blocked_at = case when is_blocked then 1 end, blocked_by = case when is_blocked then 'alice' end,
           waiting_since = case when is_waiting then 1 end, waiting_reason = case when is_waiting then 'holder' end, device_user_id = x.device_user_id
         from ${x} where d.client_id = $1 and d.device_id = x.device_id`,
        [fixture.client_id, JSON.stringify(pairs)],
      )
    })
    await fixture.hold(pairs.flatMap(({ person, is_held }) => (is_held ? [person] : [])))
    await fixture.savePolicies(versions)
    return pairs
  }

  it('are deleted when due, but never while they are in use, for random policies', async () => {
    const counts = { phones: 0, people: 0, held: 0 }
    for (let n = 0; n < FIXTURES; n++) {
      const days = () => (maybe(0.8) ? Math.floor(random() * 90) : undefined)
      const versions: PolicyVersion[] = [1, 2].map((place) => ({
        at: clock - (3 - place) * 90 * DAY,
        applies_to_kept: maybe(0.6),
        entries: (['Device', 'DeviceUser'] as const).map((entity_type) => ({
          entity_type,
          delete_after_days: days(),
          destroy_after_days: 500,
        })),
      }))
      const pairs = await anew(versions)
      const goes = (follows: 'Device' | 'DeviceUser', since: number, ended_at: number | null) =>
        ended_at !== null &&
        decideRecord(
          { follows, recorded_at: since, received_at: since, ended_at },
          { versions, holds: [] },
          clock,
        ).verdict === 'delete'
      const phones = pairs.filter(
        (each) =>
          goes('Device', each.since, each.deactivated_at) &&
          !each.is_in_use &&
          !each.is_blocked &&
          !each.is_waiting &&
          /^(nothing|processed)/.test(each.left),
      )
      const isDeleted = (pair: Pair) => phones.includes(pair) && !pair.is_held
      const people = pairs.filter(
        (each) =>
          goes('DeviceUser', 0, each.offboarded_at) &&
          !each.is_recorded &&
          (isDeleted(each) || (each.deactivated_at !== null && !each.is_in_use && !each.is_waiting)) &&
          each.left !== 'recorded',
      )
      const free = (all: readonly Pair[]) => all.filter(({ is_held }) => !is_held)
      const result = await fixture.db.read(fixture.client_id, (q) => countRecordsDue(q, versions, [clock]))
      assert.deepEqual(
        (['Device', 'DeviceUser'] as const).map(
          (entity_type) => result.find((each) => each.entity_type === entity_type)?.deleted[0] ?? 0,
        ),
        // Users whose device is still to be deleted do not count.
        [free(phones).length, free(people.filter((each) => each.deactivated_at !== null)).length],
      )
      const went = await fixture.run()
      assert.deepEqual(
        await deleted('device'),
        free(phones).map(({ device_id }) => device_id),
      )
      assert.deepEqual(
        await deleted('device_user'),
        free(people).map(({ device_user_id }) => device_user_id),
      )
      assert.equal(went, free(phones).length + free(people).length)
      assert.equal(await fixture.noted('deleted'), went)
      const noted = await fixture.owner<{ deleted: number; references: string[] }>(
        `select (parameters::jsonb #>> '{body,deleted}')::int as deleted, parameters::jsonb #> '{body,references}' as references
         from portal_activities where user_reference = $1`,
        [RETENTION],
      )
      for (const each of noted) assert.equal(each.references.length, each.deleted)
      await fixture.owner('delete from retention_record_positions')
      assert.equal(await fixture.run(), 0, 'a second run deletes nothing')
      counts.phones += free(phones).length
      counts.people += free(people).length
      counts.held += phones.length + people.length - free(phones).length - free(people).length
    }
    assert.ok(Math.min(...Object.values(counts)) > 20, JSON.stringify(counts))
  })

  it('are kept when they are used again during the deletion', async () => {
    const pairs = await anew([everything(0)], {
      deactivated_at: clock - DAY,
      offboarded_at: clock - DAY,
      is_in_use: false,
      is_recorded: false,
      is_blocked: false,
      is_waiting: false,
      is_held: false,
      left: 'nothing',
    })
    const [phone, other] = pairs
    assert.ok(phone && other)
    const tx = await fixture.db.owner.connect()
    await tx.query('begin')
    await tx.query(
      'update devices set is_deactivated = false, deactivation_date = null where device_id = $1',
      [phone.device_id],
    )
    await tx.query(
      'update device_users set is_active = true, offboard_date = null where device_user_id = $1',
      [other.device_user_id],
    )
    const running = fixture.run()
    await new Promise((done) => setTimeout(done, 300))
    await tx.query('commit')
    tx.release()
    await running
    assert.deepEqual(
      await deleted('device'),
      pairs.slice(1).map(({ device_id }) => device_id),
    )
    assert.deepEqual(
      await deleted('device_user'),
      pairs.filter((each) => each !== phone && each !== other).map(({ device_user_id }) => device_user_id),
      'and users with a device in use stay',
    )
  })
})
