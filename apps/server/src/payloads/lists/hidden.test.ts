import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PayloadQuery } from '@custodia/contract'
import type { Access, Lane } from '@custodia/domain'
import type { Queryable } from '../../ports/database/lease.ts'
import { testDatabase, type TestDatabase } from '../../testing/database.ts'
import { accessTo, makeWorld, type World } from '../../testing/list-world.ts'
import { seeded } from '../../testing/seeded.ts'
import { resolveFilter } from './store/filter.ts'

let database: TestDatabase
let world: World
before(async () => {
  database = await testDatabase()
  world = await makeWorld(database.db, 'acme', 12)
  await world.add(60, seeded(3))
})
after(() => database.drop())

/** Whether a list is read for the query, and which statements were sent before. */
async function lookUp(groups: number[], query: Record<string, unknown>) {
  const lane: Lane = { types: 'all', groups, groupless: false }
  const statements: string[] = []
  return database.db.read(world.client_id, async (q) => {
    const noted = {
      ...q,
      client_id: q.client_id,
      query: (text: string, ...rest: unknown[]) => {
        statements.push(text)
        return (q.query as (...all: unknown[]) => unknown)(text, ...rest)
      },
    } as unknown as Queryable
    const access = accessTo([lane]) as unknown as Access
    const filter = await resolveFilter(noted, access, 'payloads:list', PayloadQuery.parse(query))
    return { isRead: filter !== undefined, statements }
  })
}

test('what exists in hidden groups only is looked up as what is missing, and no list is read for it', async () => {
  const number = '7770001112223'
  const [place, ...others] = world.groups.map(({ group_id }) => group_id)
  assert.ok(place !== undefined && others.length > 0)
  const { owner } = database.db
  await owner.query(
    'insert into search_numbers (client_id, reversed, number_hash) values ($1, reverse($2), hashtextextended($2, 0))',
    [world.client_id, number],
  )
  await owner.query(
    `insert into payload_numbers (client_id, number_hash, service, payload_time, payload_id, group_id, type, is_second)
     select client_id, hashtextextended($2, 0), service, payload_time, payload_id, group_id, type, true
     from payloads where client_id = $1 and group_id = $3 limit 1`,
    [world.client_id, number, place],
  )
  const missing = '9999999999999'
  for (const key of ['search', 'number']) {
    assert.ok((await lookUp([place], { [key]: number })).isRead, 'whoever sees the group finds it')
    const hidden = await lookUp(others, { [key]: number })
    assert.deepEqual(hidden, await lookUp(others, { [key]: missing }), key)
    assert.ok(!hidden.isRead, key)
  }
})
