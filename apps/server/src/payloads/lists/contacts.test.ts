import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { serviceOf, SERVICES } from '@custodia/contract'
import { type Access, type Lane, sameNumber } from '@custodia/domain'
import { testDatabase, type TestDatabase } from '../../testing/database.ts'
import {
  accessTo,
  createFixture,
  type Fixture,
  FIXTURE_NUMBERS,
  type FixturePayload,
} from '../../testing/list-fixture.ts'
import { seeded } from '../../testing/require-part.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { countServices } from './contacts.ts'
import { countContacts, type ContactCount } from './store/contacts.ts'
import { resolveFilter } from './store/filter.ts'

const EVERYTHING: Lane[] = [{ types: 'all', groups: 'all', groupless: true }]
/** One number in each notation. */
const SAME = ['+44 7700 900123', '07700900123']

describe('the contact count of a number', () => {
  let database: TestDatabase
  let fixture: Fixture
  let ids: Map<string, number>
  before(async () => {
    database = await testDatabase()
    fixture = await createFixture(database.db, 'acme', 6)
    await fixture.add(300, seeded(3))
    await database.db.owner.query('vacuum analyze')
    const { rows } = await database.db.owner.query<{ id: number; name: string }>(
      'select device_user_id as id, device_user_reference as name from device_users where client_id = $1',
      [fixture.client_id],
    )
    ids = new Map(rows.map(({ id, name }) => [name, id]))
  })
  after(() => database.drop())

  const filterOf = (q: Queryable, lanes: Lane[], number: string) =>
    resolveFilter(q, accessTo(lanes) as unknown as Access, 'payloads:list', {
      ...sameNumber(number),
      date_filter: 'payload_time',
      order: 'newest',
    })
  const count = (lanes: Lane[], number: string, most: number, scanned?: number) =>
    database.db.readFromReplica(fixture.client_id, async (q) => {
      const filter = await filterOf(q, lanes, number)
      return filter ? countContacts(q, filter, most, scanned) : { counts: [], is_capped: false }
    })
  const having = (lanes: Lane[], number: string): FixturePayload[] =>
    fixture.payloads
      .filter(
        ({ numbers, payload_state, group_id, payload_type }) =>
          numbers.some((one) => (SAME.includes(number) ? SAME.includes(one) : one === number)) &&
          payload_state !== 'Deleted' &&
          payload_state !== 'Destroyed' &&
          accessTo(lanes).permits('payloads:list', { group_id, payload_type }),
      )
      .toSorted((a, b) => b.payload_time - a.payload_time || b.payload_id - a.payload_id)
  const plain = (counts: readonly ContactCount[]) =>
    counts.map((each) => `${each.service} ${each.device_user_id} ${each.count}`).toSorted()
  const expected = (payloads: readonly FixturePayload[]) => {
    const groups = Map.groupBy(
      payloads,
      ({ payload_type, device_user_reference: user }) =>
        `${serviceOf(payload_type)} ${user === null ? null : ids.get(user)}`,
    )
    return [...groups].map(([key, some]) => `${key} ${some.length}`).toSorted()
  }
  const lanesOf = (): Lane[][] => [
    EVERYTHING,
    [
      {
        types: ['Call', 'SMS'],
        groups: fixture.groups.slice(1, 3).map((group) => group.group_id),
        groupless: false,
      },
    ],
    [
      { types: ['Call', 'Photo'], groups: 'all', groupless: false },
      { types: ['MMS'], groups: [fixture.groups[0]?.group_id ?? 0], groupless: false },
    ],
  ]

  it('counts the newest payloads exactly, up to a limit', async () => {
    let capped = 0
    for (const lanes of lanesOf())
      for (const number of FIXTURE_NUMBERS) {
        const all = having(lanes, number)
        for (const most of [1, 5, all.length - 1, all.length, all.length + 1].filter((each) => each > 0)) {
          const { counts, is_capped } = await count(lanes, number, most)
          assert.deepEqual(plain(counts), expected(all.slice(0, most)), `${number} ${most}`)
          assert.equal(is_capped, all.length > most, `${number} ${most} of ${all.length}`)
          capped += Number(is_capped)
        }
      }
    assert.ok(capped > 20)
  })

  it('counts per service with few statements, however many payloads there are', async () => {
    const [everything = []] = lanesOf()
    let [beyond, few] = [0, 0]
    for (const number of FIXTURE_NUMBERS)
      for (const most of [3, 10, 30, 1000]) {
        const all = having(everything, number)
        const newest = all.slice(0, most)
        const services = (some: readonly FixturePayload[]) =>
          new Set(some.map(({ payload_type }) => serviceOf(payload_type)))
        const others = [...services(all)].filter((service) => !services(newest).has(service))
        const rest = others.flatMap((service) =>
          all.filter(({ payload_type }) => serviceOf(payload_type) === service).slice(0, most),
        )
        let statements = 0
        const counted = await database.db.readFromReplica(fixture.client_id, async (q) => {
          const filter = await filterOf(q, everything, number)
          const counting = {
            client_id: q.client_id,
            query: ((...asked: Parameters<typeof q.query>) => (
              statements++,
              q.query(...asked)
            )) as typeof q.query,
          }
          return filter ? countServices(counting as typeof q, filter, most) : []
        })
        assert.deepEqual(plain(counted), expected([...newest, ...rest]), `${number} ${most}`)
        const isCapped = all.length > most
        // A count takes three passes at most; a query for every service would take one more for each other service.
        const passes = 1 + (isCapped ? SERVICES.length - services(newest).size : 0)
        assert.ok(statements <= 3 * passes, `${statements} statements`)
        few += Number(isCapped && 3 * passes < 1 + SERVICES.length)
        for (const each of counted)
          if (services(newest).has(each.service)) assert.equal(each.is_capped, isCapped)
        beyond += others.length
      }
    assert.ok(few > 3, `${few} numbers tell`)
    assert.ok(beyond > 5, `${beyond} services have none among the newest`)
  })

  it('is reported as capped when the scan limit is reached', async () => {
    let short = 0
    for (const lanes of lanesOf())
      for (const number of FIXTURE_NUMBERS) {
        const all = having(lanes, number)
        const { counts, is_capped } = await count(lanes, number, 6, 2)
        const counted = counts.reduce((sum, each) => sum + each.count, 0)
        assert.deepEqual(plain(counts), expected(all.slice(0, counted)), number)
        assert.ok(is_capped || counted === all.length, number)
        short += Number(is_capped && counted < Math.min(6, all.length))
      }
    assert.ok(short > 0, 'every count was full')
  })

  it('does not include payloads outside the groups of the reader', async () => {
    assert.deepEqual(await count([], '+441', 10), { counts: [], is_capped: false })
    const nowhere: Lane[] = [
      { types: 'all', groups: [fixture.groups.at(-1)?.group_id ?? 0], groupless: false },
    ]
    const { counts } = await count(nowhere, '+441', 1000)
    assert.deepEqual(plain(counts), expected(having(nowhere, '+441')))
  })
})
