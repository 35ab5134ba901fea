import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Tx } from '../../ports/database/lease.ts'
import { createFixture, type Fixture } from '../../testing/list-fixture.ts'
import { seeded } from '../../testing/require-part.ts'
import { testContext, type TestContext } from '../../testing/test-context.ts'

let context: TestContext
let fixture: Fixture
before(async () => {
  context = await testContext()
  fixture = await createFixture(context.context.db, 'acme', 3)
  await fixture.add(120, seeded(3))
})
after(() => context?.close())

/** Compares stored metrics with a recount. */
async function compared() {
  const order = 'order by 1, 2, 3, 4, 5, 6'
  const kept = await context.sql(
    `select scope::text, period, device_id, device_user_id, group_id, type, count::int as n, first_occurrence as earliest, last_occurrence as latest
     from payload_metrics ${order}`,
  )
  const there = await context.sql(
    `select s.scope::text, s.period, device_id, coalesce(device_user_id, 0) as device_user_id, group_id, type, count(*)::int as n,
       min(payload_time) as earliest, max(payload_time) as latest
     from payloads cross join lateral metric_periods(payload_time) s where state not in (9, 10) group by 1, 2, 3, 4, 5, 6 ${order}`,
  )
  return { kept, there }
}

const change = (statement: string, values: unknown[]) =>
  context.context.db.write(fixture.client_id, (tx: Tx) => tx.query(statement, values))

/** Reassigns payloads as a confirmation does. */
const REFILE = `
  with mine as materialized (
    select payload_id, group_id, device_user_id from payloads where payload_id = any($1) and group_id <> $2 order by 1 for update
  ), moved as (update payloads p set group_id = $2, device_user_id = null from mine where p.payload_id = mine.payload_id)
  insert into payload_reassignments (client_id, payload_id, at, from_group, to_group, from_user, to_user, by)
  select $3, payload_id, 0, group_id, $2, device_user_id, null, 'test' from mine`

/** Deletes processed payloads and restores deleted ones, as retention and administrators do. */
const TURN = `
  with mine as materialized (
    select payload_id, state from payloads where payload_id = any($1) and (state = 5 or (state = 9 and state_before_deletion = 5)) order by 1 for update
  ), moved as (
    update payloads p set state = 14 - mine.state, state_before_deletion = case when mine.state = 5 then 5 end from mine where p.payload_id = mine.payload_id
  )
  insert into payload_history (client_id, payload_id, at, from_state, to_state, by) select $2, payload_id, 0, state, 14 - state, 'test' from mine`

test('payload metrics equal a recount after concurrent additions, reassignments, deletions and restores', async () => {
  const before = await compared()
  assert.ok(before.kept.length > 100)
  assert.deepEqual(before.kept, before.there)
  const ids = fixture.payloads.map(({ payload_id }) => payload_id)
  const groups = fixture.groups.map(({ group_id }) => group_id)
  const r = seeded(7)
  const some = () => ids.filter(() => r() < 0.3)
  await Promise.all([
    fixture.add(15, r),
    ...Array.from({ length: 4 }, async (_, lane) => {
      for (let i = 0; i < 4; i++) {
        await change(REFILE, [some(), groups[(lane + i) % groups.length], fixture.client_id])
        await change(TURN, [some(), fixture.client_id])
      }
    }),
  ])
  const after = await compared()
  assert.deepEqual(after.kept, after.there)
  assert.notDeepEqual(after.kept, before.kept)
})

test('a metric row disappears with its last payload and returns when the payloads are restored', async () => {
  const resting = fixture.payloads.map(({ payload_id }) => payload_id)
  const rows = async () => (await compared()).kept.length
  await change(
    `update payloads set state = 5, state_before_deletion = null where state = 9 and state_before_deletion = 5`,
    [],
  )
  await change('select recount_payload_metrics($1)', [fixture.client_id])
  const before = await compared()
  await change(TURN, [resting, fixture.client_id])
  assert.ok((await rows()) < before.kept.length)
  const between = await compared()
  assert.deepEqual(between.kept, between.there)
  await change(TURN, [resting, fixture.client_id])
  assert.deepEqual(await compared(), before)
})
