import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { PAYLOAD_TYPES } from '@custodia/contract'
import { type Access, type Lane, sameNumber } from '@custodia/domain'
import { testDatabase, type TestDatabase } from '../../testing/database.ts'
import { accessTo, createFixture, type Fixture, FIXTURE_NUMBERS } from '../../testing/list-fixture.ts'
import { seeded } from '../../testing/require-part.ts'
import { everyPayloadSql } from './store/rows.ts'

/** One number in each notation. */
const SAME = ['+44 7700 900123', '07700900123']
const RUNS = 120

let database: TestDatabase
let fixture: Fixture
const random = seeded(17)
before(async () => {
  database = await testDatabase()
  fixture = await createFixture(database.db, 'acme', 6)
  await fixture.add(500, random)
})
after(() => database?.drop())

const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
/** The visible scope: everything, or some types in some groups, each type once. */
function lanes(): Lane[] {
  if (random() < 0.3) return [{ types: 'all', groups: 'all', groupless: true }]
  const cut = Math.floor(random() * PAYLOAD_TYPES.length)
  const groups = () =>
    random() < 0.2 ? 'all' : fixture.groups.filter(() => random() < 0.5).map(({ group_id }) => group_id)
  return [PAYLOAD_TYPES.slice(0, cut), PAYLOAD_TYPES.slice(cut)].map((types) => ({
    types: [...types],
    groups: groups(),
    groupless: false,
  }))
}

it('finds every payload of a device user or number that the reader may list, in any state', async () => {
  const people = [...new Set(fixture.payloads.map(({ device_user_reference }) => device_user_reference))]
  let found = 0
  let hidden = 0
  for (let run = 0; run < RUNS; run++) {
    const may = lanes()
    const number = run % 2 === 0 ? one(FIXTURE_NUMBERS) : undefined
    const person = number === undefined ? one(people.filter((name) => name !== null)) : undefined
    const query = number === undefined ? { device_user_reference: person as string } : sameNumber(number)
    const ids = await database.db.read(fixture.client_id, async (q) => {
      const values: unknown[] = ['before', 'it']
      const sql = await everyPayloadSql(q, accessTo(may) as unknown as Access, query, values)
      if (sql === undefined) return []
      const { rows } = await q.query<{ payload_id: number }>(
        `select payload_id::int from (${sql}) x where $1::text <> $2::text`,
        values,
      )
      return rows.map(({ payload_id }) => payload_id)
    })
    const theirs = fixture.payloads.filter(({ numbers, device_user_reference }) =>
      number === undefined
        ? device_user_reference === person
        : numbers.some((each) => (SAME.includes(number) ? SAME.includes(each) : each === number)),
    )
    const shown = theirs.filter(({ group_id, payload_type }) =>
      accessTo(may).permits('payloads:list', { group_id, payload_type }),
    )
    assert.deepEqual(
      ids.toSorted((a, b) => a - b),
      shown.map(({ payload_id }) => payload_id).toSorted((a, b) => a - b),
      JSON.stringify({ may, query }),
    )
    found += shown.length
    hidden += theirs.length - shown.length
  }
  assert.ok(found > 500 && hidden > 300, `${found} found, ${hidden} hidden`)
})
