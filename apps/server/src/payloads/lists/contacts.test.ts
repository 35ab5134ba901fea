import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import { PAYLOAD_TYPES, PayloadQuery, getService, SERVICES } from '@custodia/contract'
import { type Access, type Lane, sameNumber } from '@custodia/domain'
import type { Queryable } from '../../ports/database/lease.ts'
import { testDatabase } from '../../testing/database.ts'
import { accessTo, createFixture, FIXTURE_NUMBERS, type FixturePayload } from '../../testing/list-fixture.ts'
import { noting } from '../../testing/noted-statements.ts'
import { seeded } from '../../testing/require-part.ts'
import { countServices } from './contacts.ts'
import { type ContactCount, countContacts } from './store/contacts.ts'
import { resolveFilter } from './store/filter.ts'
import { keysSql } from './store/keys.ts'
import { everyPayloadSql, rowsSql } from './store/rows.ts'

const EVERYTHING: Lane[] = [{ types: 'all', groups: 'all', groupless: true }]
/** One number in each notation. */
const SAME = ['+44 7700 900123', '07700900123']

const database = await testDatabase()
const fixture = await createFixture(database.db, 'acme', 12)
await fixture.add(600, seeded(3))
await database.db.owner.query('vacuum analyze')
after(() => database.drop())

describe('the contact count of a number', () => {
  let ids: Map<string, number>
  before(async () => {
    const { rows } = await database.db.owner.query<{ id: number; name: string }>(
      'select device_user_id as id, device_user_reference as name from device_users where client_id = $1',
      [fixture.client_id],
    )
    ids = new Map(rows.map(({ id, name }) => [name, id]))
  })

  const getFilter = (q: Queryable, lanes: Lane[], number: string) =>
    resolveFilter(q, accessTo(lanes) as unknown as Access, 'payloads:list', {
      ...sameNumber(number),
      date_filter: 'payload_time',
      order: 'newest',
    })
  const count = (lanes: Lane[], number: string, most: number, scanned?: number) =>
    database.db.readFromReplica(fixture.client_id, async (q) => {
      const filter = await getFilter(q, lanes, number)
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
        `${getService(payload_type)} ${user === null ? null : ids.get(user)}`,
    )
    return [...groups].map(([key, some]) => `${key} ${some.length}`).toSorted()
  }
  const getLanes = (): Lane[][] => [
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
    for (const lanes of getLanes())
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
    const [everything = []] = getLanes()
    let [beyond, few] = [0, 0]
    for (const number of FIXTURE_NUMBERS)
      for (const most of [3, 10, 30, 1000]) {
        const all = having(everything, number)
        const newest = all.slice(0, most)
        const services = (some: readonly FixturePayload[]) =>
          new Set(some.map(({ payload_type }) => getService(payload_type)))
        const others = [...services(all)].filter((service) => !services(newest).has(service))
        const rest = others.flatMap((service) =>
          all.filter(({ payload_type }) => getService(payload_type) === service).slice(0, most),
        )
        let statements = 0
        const counted = await database.db.readFromReplica(fixture.client_id, async (q) => {
          const filter = await getFilter(q, everything, number)
          const query = ((...asked: Parameters<typeof q.query>) => (
            statements++,
            q.query(...asked)
          )) as typeof q.query
          const counting = Object.assign(Object.create(q) as typeof q, { query })
          return filter ? countServices(counting, filter, most) : []
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
    for (const lanes of getLanes())
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
})

const RUNS = 120

const random = seeded(17)

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
      return q.column<number>(`select payload_id::int from (${sql}) x where $1::text <> $2::text`, values)
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

/** A node of a plan in PostgreSQL's form. */
interface Node {
  'Node Type': string
  'Index Name'?: string
  'Index Cond'?: string
  'Relation Name'?: string
  'Parent Relationship'?: string
  Plans?: Node[]
}

/** The plan for the keys of a page with table scans disabled, so that only the indexes decide. */
async function getPlan(lanes: Lane[], query: Record<string, unknown>): Promise<Node> {
  return database.db.read(fixture.client_id, async (q) => {
    const access = accessTo(lanes) as unknown as Access
    const filter = await resolveFilter(q, access, 'payloads:list', PayloadQuery.parse(query))
    assert.ok(filter)
    const { text, values } = keysSql(filter, [filter.order === 'oldest' ? filter.from : filter.to, 0], {
      keys: 51,
      scanned: 1500,
    })
    await q.query("select set_config(s, 'off', true) from unnest($1::text[]) s", [
      ['enable_seqscan', 'enable_sort', 'enable_bitmapscan'],
    ])
    const { rows } = await q.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
      `explain (format json) ${text}`,
      values,
    )
    const [plan] = rows[0]?.['QUERY PLAN'] ?? []
    assert.ok(plan)
    return plan.Plan
  })
}

/** Scans of the list tables by index; marks those under a full sort. */
function getScans(node: Node, isSorted = false): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, Plans = [] } = node
  if (table?.startsWith('payload')) return [isSorted ? `${table}, sorted` : `${table} by ${index ?? type}`]
  const below = type === 'Sort' || (isSorted && type !== 'Limit')
  return Plans.flatMap((each) => getScans(each, below))
}

test('oldest-first lists use the same indexes as newest-first lists, and sort at most one page', async () => {
  const groups = fixture.groups.slice(0, 3).map(({ group_id }) => group_id)
  const everything: Lane = { types: 'all', groups: 'all', groupless: true }
  const reaches: Lane[] = [everything, { types: 'all', groups, groupless: false }]
  const queries = [
    {},
    { payload_types: ['Call'] },
    { date_filter: 'processed_at' },
    { date_filter: 'updated_at' },
    { number: FIXTURE_NUMBERS[0] },
    { search: 'melo' },
  ]
  for (const reach of reaches)
    for (const query of queries) {
      const asked = { service: 'calls', from: '2026-01-20', to: '2026-03-20', ...query }
      const newest = getScans(await getPlan([reach], asked))
      const oldest = getScans(await getPlan([reach], { ...asked, order: 'oldest' }))
      const what = JSON.stringify({ query, reach })
      assert.notEqual(newest.length, 0, what)
      assert.deepEqual(
        newest.filter((scan) => /sorted| by Seq Scan/.test(scan)),
        [],
        what,
      )
      assert.deepEqual(oldest, newest, what)
    }
})

test('failed, quarantined and altered payloads are read from their own small indexes', async () => {
  const reach: Lane = { types: 'all', groups: 'all', groupless: true }
  const indexes = [
    [{ states: ['Failed', 'Quarantined'] }, 'payloads_failed'],
    [{ states: ['Quarantined'] }, 'payloads_quarantined'],
    [{ is_altered: 'true' }, 'payloads_altered'],
  ] as const
  for (const [query, index] of indexes) {
    const scans = getScans(await getPlan([reach], { service: 'calls', ...query }))
    assert.deepEqual(scans, [`payloads by ${index}`], JSON.stringify(query))
  }
})

/** Scans of legal holds that repeat for each row; one scan whether any exist is fine. */
function scansOfHolds({
  'Node Type': type,
  'Relation Name': table,
  'Index Name': index,
  'Index Cond': condition,
  'Parent Relationship': parent,
  Plans = [],
}: Node): string[] {
  if (parent === 'InitPlan') return []
  const own = table === 'legal_holds' ? [`${index ?? type} by ${condition}`] : []
  return [...own, ...Plans.flatMap(scansOfHolds)]
}

test('the held state of a row is looked up by index, however many holds exist', async () => {
  await database.db.owner.query(
    `insert into legal_holds (client_id, target_type, target, is_active, created_at, updated_at, updated_by)
     select $1, 'PortalUser', 'held ' || i, true, 1, 1, 'alice' from generate_series(1, 5000) i`,
    [fixture.client_id],
  )
  await database.db.owner.query(
    `insert into legal_holds (client_id, target_type, target, device_user_id, is_active, created_at, updated_at, updated_by)
     select client_id, 'DeviceUser', device_user_reference, device_user_id, true, 1, 1, 'alice' from device_users
     where client_id = $1 limit 1`,
    [fixture.client_id],
  )
  await database.db.owner.query('analyze')
  const all = { ...accessTo([{ types: 'all', groups: 'all', groupless: true }]) } as unknown as Access
  for (const query of [{ is_held: 'false' }, { is_held: 'true' }]) {
    const scans = await database.db.read(fixture.client_id, async (q) => {
      const asked = PayloadQuery.parse({ service: 'calls', ...query })
      const filter = await resolveFilter(q, all, 'payloads:list', asked)
      assert.ok(filter)
      const { text, values } = rowsSql(filter, [filter.to, 0], { keys: 51, scanned: 1500 })
      const { rows } = await q.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
        `explain (format json) ${text}`,
        values,
      )
      return scansOfHolds(rows[0]?.['QUERY PLAN'][0]?.Plan ?? { 'Node Type': 'none' })
    })
    // Its user, holders of its device, users of a device that waits, and authors.
    assert.equal(scans.length, 4, JSON.stringify(scans))
    for (const scan of scans)
      assert.match(scan, /^legal_holds_\w+ by .*(?:device_user_id|\btarget) =/, JSON.stringify(query))
  }
})

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
