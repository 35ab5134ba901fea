import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PayloadQuery } from '@custodia/contract'
import type { Access, Lane } from '@custodia/domain'
import { testDatabase, type TestDatabase } from '../../testing/database.ts'
import { accessTo, createFixture, type Fixture, FIXTURE_NUMBERS } from '../../testing/list-fixture.ts'
import { seeded } from '../../testing/require-part.ts'
import { resolveFilter } from './store/filter.ts'
import { keysSql } from './store/keys.ts'
import { rowsSql } from './store/rows.ts'

let database: TestDatabase
let fixture: Fixture
before(async () => {
  database = await testDatabase()
  fixture = await createFixture(database.db, 'acme', 12)
  await fixture.add(600, seeded(3))
  await database.db.owner.query('vacuum analyze')
})
after(() => database.drop())

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
async function planOf(lanes: Lane[], query: Record<string, unknown>): Promise<Node> {
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
function scansOf(node: Node, isSorted = false): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, Plans = [] } = node
  if (table?.startsWith('payload')) return [isSorted ? `${table}, sorted` : `${table} by ${index ?? type}`]
  const below = type === 'Sort' || (isSorted && type !== 'Limit')
  return Plans.flatMap((each) => scansOf(each, below))
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
      const newest = scansOf(await planOf([reach], asked))
      const oldest = scansOf(await planOf([reach], { ...asked, order: 'oldest' }))
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

test('failed, quarantined and altered payloads are read from their own small index', async () => {
  const reach: Lane = { types: 'all', groups: 'all', groupless: true }
  for (const query of [{ states: ['Failed', 'Quarantined'] }, { is_altered: 'true' }]) {
    const scans = scansOf(await planOf([reach], { service: 'calls', ...query }))
    assert.deepEqual(scans, ['payloads by payloads_failed'], JSON.stringify(query))
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
    assert.equal(scans.length, 3, JSON.stringify(scans))
    for (const scan of scans)
      assert.match(scan, /^legal_holds_\w+ by .*(?:device_user_id|\btarget) =/, JSON.stringify(query))
  }
})
