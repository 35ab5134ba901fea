import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Tx } from '../../ports/database/lease.ts'
import { createFixture } from '../../testing/list-fixture.ts'
import { seeded } from '../../testing/require-part.ts'
import { testContext } from '../../testing/test-context.ts'

const context = await testContext()
after(() => context.close())
const fixture = await createFixture(context.context.db, 'acme', 3)
await fixture.add(250, seeded(3))

/** The stored and the expected values: threads from documents, counts from threads. */
async function compared() {
  const kept = await context.sql(
    `select device_id, thread_id, group_id, type, count::int, last_time, last_payload_id from thread_counts order by 1, 2, 3, 4`,
  )
  const filed = await context.sql(
    `select payload_id, device_id, thread_id, group_id, payload_time from payload_threads order by 1`,
  )
  const counted = await context.sql(
    `select device_id, thread_id, group_id, type, count(*)::int as count, max(payload_time) as last_time,
       (array_agg(payload_id order by payload_time desc, payload_id desc))[1] as last_payload_id
     from payloads join payload_documents using (payload_id) where thread_id is not null and state not in (9, 10)
       and payload_id in (select payload_id from payload_threads) group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  )
  return { kept, filed, counted }
}

const change = (statement: string, values: unknown[]) =>
  context.context.db.write(fixture.client_id, (tx: Tx) => tx.query(statement, values))

test('conversation counts stay exact while messages arrive, are reassigned and deleted at once', async () => {
  const messages = await context.sql<{ payload_id: number }>(
    'select payload_id from payload_threads order by 1',
  )
  assert.ok(messages.length > 20)
  const ids = messages.map(({ payload_id }) => payload_id)
  const reassign = (some: readonly number[], group_id: number) =>
    change(
      `with mine as materialized (select payload_id from payloads where payload_id = any($1) order by 1 for update),
       p as (update payloads p set group_id = $2 from mine where p.payload_id = mine.payload_id returning p.payload_id)
       update payload_threads t set group_id = $2 from p where t.payload_id = p.payload_id`,
      [some, group_id],
    )
  const r = seeded(7)
  const groups = fixture.groups.map(({ group_id }) => group_id)
  const some = () => ids.filter(() => r() < 0.3)
  await Promise.all([
    fixture.add(20, r),
    ...Array.from({ length: 4 }, async (_, lane) => {
      for (let i = 0; i < 6; i++) await reassign(some(), groups[(lane + i) % groups.length] ?? 0)
    }),
  ])
  const filed = await compared()
  assert.deepEqual(filed.kept, filed.counted)
  await change('delete from payload_threads where payload_id = any($1)', [ids.slice(0, 15)])
  await change('delete from payload_threads where payload_id = any($1)', [ids.slice(-5)])
  const rest = await compared()
  assert.deepEqual(rest.kept, rest.counted)
  assert.ok(rest.kept.length > 0)
})

test('a recount restores conversations that were written without triggers', async () => {
  await context.sql('delete from payload_threads')
  const { owner } = context.context.db
  await owner.query(`select set_config('custodia.client_id', $1, false)`, [String(fixture.client_id)])
  await owner.query('select recount_threads($1)', [fixture.client_id])
  const { kept, counted, filed } = await compared()
  assert.ok(filed.length > 20)
  assert.deepEqual(kept, counted)
})
