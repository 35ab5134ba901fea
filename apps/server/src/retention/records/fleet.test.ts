import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { decideRecord, type PolicyVersion } from '@custodia/domain'
import { seeded } from '../../testing/require-part.ts'
import { recordsFixture } from './records.test-support.ts'

const DAY = 86_400
/** Number of random policies, each with devices and users. */
const FIXTURES = 8
const PHONES = 60

/** A device and the user with the same number. */
interface Pair {
  n: number
  person: string
  device_id: number
  device_user_id: number
  former: number
  device_deleted_at: number | null
  person_deleted_at: number | null
  since: number
  is_blocked: boolean
  left: (typeof LEFT)[number]
  is_held: boolean
}
/** Data that remains, or remained, of both. */
const LEFT = ['nothing', 'nothing', 'nothing', 'payload', 'destroyed payload', 'log', 'command'] as const

const fixture = await recordsFixture(PHONES)
after(() => fixture.drop())
const clock = fixture.clock

describe('deleted devices and device users', () => {
  const random = seeded(53)

  const maybe = (chance: number) => random() < chance
  const some = () => clock - Math.floor(random() * 200) * DAY - 3600

  /** Creates everything anew with personal data. */
  async function anew(versions: readonly PolicyVersion[]): Promise<Pair[]> {
    const there = await fixture.owner<{ device_id: number; device_user_id: number; person: string }>(
      `select d.device_id, u.device_user_id, u.device_user_reference as person from devices d join device_users u
         on u.client_id = d.client_id and u.device_user_reference = replace(d.device_reference, 'phone', 'person') order by 1`,
    )
    const pairs = there.map(({ device_id, device_user_id, person }, n): Pair => {
      const device_deleted_at = maybe(0.8) ? some() : null
      return {
        n,
        person,
        device_id,
        device_user_id,
        former: (n + 1) % there.length,
        device_deleted_at,
        person_deleted_at: maybe(0.8) ? some() : null,
        since: Math.floor((device_deleted_at ?? clock) - random() * 300 * DAY),
        is_blocked: maybe(0.1),
        left: LEFT[Math.floor(random() * LEFT.length)] ?? 'nothing',
        is_held: maybe(0.1),
      }
    })
    await fixture.clear('device_history', 'device_logs', 'device_commands', 'payloads')
    await fixture.clear('device_numbers', 'device_user_words')
    await fixture.owner(
      `with x as (select * from jsonb_to_recordset($1) as x(device_id int, device_user_id int, device_deleted_at bigint, person_deleted_at bigint,
           is_blocked boolean))
       , phones as (update devices d set destroyed_at = null, deleted_at = device_deleted_at, is_deactivated = device_deleted_at is not null,
           device_user_id = x.device_user_id, blocked_at = case when is_blocked then 1 end, imeis = '{secret}', email = 'secret',
           legacy_phone_number = 'secret', model = 'secret', os_version = 'secret', app_version = 'secret', serial_number = 'secret', fcm_token = 'secret',
           installation_id = 'secret', device_key = 'secret' || x.device_id, updated_by = 'secret', last_seen = 5
         from x where d.device_id = x.device_id)
       update device_users u set destroyed_at = null, deleted_at = person_deleted_at, email = 'secret', first_name = 'secret', surname = 'secret',
         updated_by = 'secret' from x where u.device_user_id = x.device_user_id`,
      [JSON.stringify(pairs)],
    )
    await fixture.owner(
      `with x as (select * from jsonb_to_recordset($2) as x(n int, device_id int, device_user_id int, former int, since bigint, "left" text))
       , history as (insert into device_history (client_id, device_id, from_at, to_at, device_user_id, group_id)
           select $1::int, x.device_id, x.since, x.since + 9, y.device_user_id, d.group_id
           from x join x y on y.n = x.former join devices d on d.device_id = x.device_id)
       , numbers as (insert into device_numbers (client_id, device_id, phone_number, slot_index, from_at, last_reported, is_contested)
           select $1, device_id, '+' || n, 0, 1, 1, false from x)
       , words as (insert into device_user_words (client_id, word, device_user_id) select $1, 'secret', device_user_id from x)
       , logs as (insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, device_user_id, log_class, log_level, local_timezone, log_message,
             received_at)
           select $1, x.device_id, 'log', $3::bigint, d.group_id, x.device_user_id, 'Test', 'INFO', 'UTC', '', $3 from x join devices d using (device_id) where "left" = 'log')
       , commands as (insert into device_commands (client_id, command_reference, device_id, group_id, command, params, raised_by, sent_at)
           select $1, 'command ' || n, x.device_id, d.group_id, 'sync', '{}', 'alice', $3 from x join devices d using (device_id) where "left" = 'command')
       , payloads as (insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, device_user_id, announced_at,
             updated_at)
           select $1, 'payload ' || n, 2, 4, 1, 1, d.group_id, x.device_id, x.device_user_id, 1, 1 from x join devices d using (device_id)
           where "left" like '%payload')
       select 1`,
      [fixture.client_id, JSON.stringify(pairs), clock],
    )
    const destroyed = pairs.flatMap(({ n, left }) => (left === 'destroyed payload' ? [`payload ${n}`] : []))
    await fixture.asReplica((write) =>
      write('update payloads set state = 10 where payload_reference = any($1)', [destroyed]),
    )
    await fixture.hold(pairs.flatMap(({ person, is_held }) => (is_held ? [person] : [])))
    await fixture.savePolicies(versions)
    return pairs
  }

  it('become tombstones when due, if no data and no hold is left, for random policies', async () => {
    const counts = { phones: 0, people: 0, stayed: 0 }
    for (let n = 0; n < FIXTURES; n++) {
      const days = () => Math.floor(random() * 90)
      const versions: PolicyVersion[] = [1, 2].map((place) => ({
        at: clock - (3 - place) * 90 * DAY,
        applies_to_kept: maybe(0.6),
        entries: maybe(0.9)
          ? (['Device', 'DeviceUser'] as const).map((entity_type) => ({
              entity_type,
              delete_after_days: maybe(0.5) ? days() : undefined,
              destroy_after_days: days(),
            }))
          : [],
      }))
      const pairs = await anew(versions)
      const goes = (follows: 'Device' | 'DeviceUser', since: number, deleted_at: number | null) =>
        deleted_at !== null &&
        decideRecord(
          { follows, recorded_at: since, received_at: since, deleted_at },
          { versions, holds: [] },
          clock,
        ).verdict === 'destroy'
      const isHeld = ({ former, is_held }: Pair) => is_held || pairs[former]?.is_held
      const phones = pairs.filter(
        (each) =>
          goes('Device', each.since, each.device_deleted_at) &&
          !each.is_blocked &&
          !isHeld(each) &&
          /^(nothing|destroyed)/.test(each.left),
      )
      const people = pairs.filter(
        (each) =>
          goes('DeviceUser', 0, each.person_deleted_at) &&
          !each.is_held &&
          each.device_deleted_at !== null &&
          /^(nothing|destroyed|command)/.test(each.left),
      )
      assert.equal(await fixture.run(), phones.length + people.length)
      for (const [table, key, gone] of [
        ['devices', 'device_id', phones.map(({ device_id }) => device_id)],
        ['device_users', 'device_user_id', people.map(({ device_user_id }) => device_user_id)],
      ] as const) {
        const rows = await fixture.owner<{ id: number; stated: string; words: number }>(
          `select ${key} as id, to_jsonb(t)::text as stated, (select count(*)::int from ${
            table === 'devices' ? 'device_numbers' : 'device_user_words'
          } w where w.${key} = t.${key}) as words from ${table} t where destroyed_at is not null order by 1`,
        )
        assert.deepEqual(
          rows.map(({ id }) => id),
          gone,
        )
        for (const { stated, words } of rows) assert.equal(/secret/.test(stated) || words > 0, false, stated)
        const kept = await fixture.owner(
          `select from ${table} where destroyed_at is null and to_jsonb(${table})::text not like '%secret%'`,
        )
        assert.equal(kept.length, 0)
      }
      assert.equal(await fixture.noted('destroyed'), phones.length + people.length)
      await fixture.owner('delete from retention_record_positions')
      assert.equal(await fixture.run(), 0, 'a second run changes nothing')
      counts.phones += phones.length
      counts.people += people.length
      counts.stayed += pairs.length - phones.length
    }
    assert.ok(Math.min(...Object.values(counts)) > 20, JSON.stringify(counts))
  })

  it('cannot be destroyed in any other way', async () => {
    const pairs = await anew([])
    const gone = await fixture.db.write(fixture.client_id, (tx) => {
      return tx.row<{ devices: number; people: number }>(
        'select destroy_devices($1) as devices, destroy_device_users($2) as people',
        [pairs.map(({ device_id }) => device_id), pairs.map(({ device_user_id }) => device_user_id)],
      )
    })
    assert.deepEqual(gone, { devices: 0, people: 0 })
  })
})
