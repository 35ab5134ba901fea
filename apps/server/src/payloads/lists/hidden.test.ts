import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PayloadQuery } from '@custodia/contract'
import type { Access, Lane } from '@custodia/domain'
import { testDatabase, type TestDatabase } from '../../testing/database.ts'
import { accessTo, createFixture, type Fixture } from '../../testing/list-fixture.ts'
import { noting } from '../../testing/noted-statements.ts'
import { seeded } from '../../testing/require-part.ts'
import { resolveFilter } from './store/filter.ts'
import { visiblePeriods } from './store/words.ts'

let database: TestDatabase
let fixture: Fixture
before(async () => {
  database = await testDatabase()
  fixture = await createFixture(database.db, 'acme', 12)
  await fixture.add(60, seeded(3))
})
after(() => database.drop())

/** Whether a list is read for the query, and which statements ran before. */
async function lookUp(groups: number[], query: Record<string, unknown>, explains = false) {
  const lane: Lane = { types: 'all', groups, groupless: false }
  const statements: string[] = []
  return database.db.read(fixture.client_id, async (q) => {
    const noted = noting(q, statements, explains)
    const access = accessTo([lane]) as unknown as Access
    const filter = await resolveFilter(noted, access, 'payloads:list', PayloadQuery.parse(query))
    return { isRead: filter !== undefined, statements }
  })
}

test('looks up data of hidden groups like missing data, without reading a list', async () => {
  const number = '7770001112223'
  const [place, ...others] = fixture.groups.map(({ group_id }) => group_id)
  assert.ok(place !== undefined && others.length > 0)
  const { owner } = database.db
  await owner.query(
    'insert into search_numbers (client_id, reversed, number_hash) values ($1, reverse($2), hashtextextended($2, 0))',
    [fixture.client_id, number],
  )
  await owner.query(
    `insert into payload_numbers (client_id, number_hash, service, payload_time, payload_id, group_id, type, is_second)
     select client_id, hashtextextended($2, 0), service, payload_time, payload_id, group_id, type, true
     from payloads where client_id = $1 and group_id = $3 limit 1`,
    [fixture.client_id, number, place],
  )
  const missing = '9999999999999'
  for (const key of ['search', 'number']) {
    assert.ok((await lookUp([place], { [key]: number })).isRead, 'a viewer of the group finds it')
    const hidden = await lookUp(others, { [key]: number })
    assert.deepEqual(hidden, await lookUp(others, { [key]: missing }), key)
    assert.ok(!hidden.isRead, key)
  }
})

test('a person with many hidden recordings is looked up as cheaply as a missing name', async () => {
  const [place, ...others] = fixture.groups.map(({ group_id }) => group_id)
  const { owner } = database.db
  const { rows } = await owner.query<{ device_user_id: number }>(
    `insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
     values ($1, 'hidden person', $2, 0, 't') returning device_user_id`,
    [fixture.client_id, place],
  )
  const person = rows[0]?.device_user_id
  await owner.query(
    `insert into device_user_words (client_id, word, device_user_id) values ($1, 'zhidden', $2)`,
    [fixture.client_id, person],
  )
  await owner.query(
    `insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, device_user_id, announced_at, updated_at)
     select client_id, 'hidden ' || n, service, type, state, payload_time + n, $2, device_id, $3, announced_at, updated_at
     from (select * from payloads where client_id = $1 and state <> 8 limit 1) p cross join generate_series(1, 20000) n`,
    [fixture.client_id, place, person],
  )
  await owner.query('vacuum analyze payloads')
  const blocks = async (search: string) => {
    const { statements } = await lookUp(others, { search }, true)
    const plan = statements.at(-1) ?? ''
    return Number(/blocks (\d+)/.exec(plan)?.[1])
  }
  const missing = await blocks('zmissing')
  const hidden = await blocks('zhidden')
  assert.ok(hidden <= missing + 20, `${hidden} and ${missing} blocks`)
})

test('a word that texts of hidden groups have is left out before any list is read', async () => {
  const [place, ...others] = fixture.groups.map(({ group_id }) => group_id)
  assert.ok(place !== undefined)
  const { owner } = database.db
  await owner.query(
    `insert into content_words (token, payload_time, payload_id, client_id, group_id, service, period, type)
     select 4711, payload_time, payload_id, client_id, group_id, service, 300, type from payloads where client_id = $1 and group_id = $2 limit 1`,
    [fixture.client_id, place],
  )
  const look = (token: string, groups: number[]) =>
    database.db.read(fixture.client_id, (q) =>
      visiblePeriods(
        q,
        { periods: [299, 300], terms: [{ words: ['w'], is_prefix: false }], tokensOf: () => [token] },
        [{ service: 1, types: null, groups }],
      ),
    )
  assert.deepEqual(await look('4711', [place]), [299, 300])
  assert.deepEqual(await look('4711', others), [])
  assert.deepEqual(await look('4712', others), [])
})
