import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  type Answer,
  api,
  type Api,
  dateParameterToEpoch,
  type Page,
  PAYLOAD_DATE_FILTERS,
  PAYLOAD_STATES,
  PAYLOAD_TYPES,
  PayloadQuery,
  type PayloadSummary,
  getService,
  SERVICES,
  type Total,
} from '@custodia/contract'
import type { Access, Lane } from '@custodia/domain'
import fc from 'fast-check'
import { ulid } from 'ulid'
import type { PortalContext } from '../../http/context.ts'
import { makeCursors } from '../../http/cursor.ts'
import { PreparedJson } from '../../http/prepared-json.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { testDatabase } from '../../testing/database.ts'
import {
  accessTo,
  createFixture,
  type Fixture,
  FIXTURE_NUMBERS,
  FIXTURE_PEOPLE,
  FIXTURE_START,
  type FixturePayload,
} from '../../testing/list-fixture.ts'
import { LONG } from '../../testing/long.ts'
import { seeded } from '../../testing/require-part.ts'
import { paged } from '../../testing/test-context.ts'
import { countPayloads } from './contacts.ts'
import { listPayloads } from './list.ts'
import { resolveFilter } from './store/filter.ts'
import type { PageEffort } from './store/page.ts'
import { readListTotal } from './store/total.ts'

const EVERYTHING: Lane[] = [{ types: 'all', groups: 'all', groupless: true }]
/** Raise it for a long run. */
const RUNS = LONG ? 500 : 50
const cursors = makeCursors(Buffer.alloc(32, 1))

/** The numbers and names of a payload as text. */
interface PayloadTexts {
  ends: (digits: string) => boolean
  whole: (digits: string) => boolean
  begins: (...words: string[]) => boolean
  starts: (digits: string) => boolean
}
/** Search texts, and what they mean. */
const SEARCHES: Readonly<Record<string, (stated: PayloadTexts) => boolean>> = {
  '0123': ({ ends }) => ends('0123'),
  '+44 77': ({ starts }) => starts('4477'),
  '+4477009001': ({ starts }) => starts('4477009001'),
  '0770': ({ starts }) => starts('0770') || starts('44770'),
  '077009 0 zo': ({ begins, starts }) => (starts('077009') || starts('4477009')) && begins('zo'),
  '0044 77': ({ starts }) => starts('4477'),
  '900123': ({ ends }) => ends('900123'),
  '00123': ({ ends }) => ends('00123'),
  '077 00 900-123': ({ ends }) => ends('7700900123'),
  '(0)7700 900123': ({ ends }) => ends('7700900123'),
  '+44 (0)7700.900123': ({ ends, whole }) => ends('447700900123') || whole('07700900123'),
  '0044 7700 900 123': ({ ends, whole }) => ends('447700900123') || whole('07700900123'),
  '+55 (11) 98400-0123': ({ ends }) => ends('5511984000123'),
  '\u202d٠١٢٣\u202c': ({ ends }) => ends('0123'),
  '9999': ({ ends }) => ends('9999'),
  '441': ({ whole }) => whole('441'),
  '123': ({ whole }) => whole('123'),
  '7': ({ begins }) => begins('7'),
  joa: ({ begins }) => begins('joa'),
  JOÃO: ({ begins }) => begins('joao'),
  joana: ({ begins }) => begins('joana'),
  'Melo jo': ({ begins }) => begins('melo', 'jo'),
  ' joana\u00a0melo ': ({ begins }) => begins('joana', 'melo'),
  zoe: ({ begins }) => begins('zoe'),
  oneill: ({ begins }) => begins('oneill'),
  Neill: ({ begins }) => begins('neill'),
  'o’n': ({ begins }) => begins('on'),
  annemarie: ({ begins }) => begins('annemarie'),
  'Anne-M': ({ begins }) => begins('anne', 'm'),
  مر: ({ begins }) => begins('مر'),
  'eleven 7': ({ begins }) => begins('eleven', '7'),
  'eleven 0123': ({ ends, begins }) => begins('eleven') && ends('0123'),
  person: ({ begins }) => begins('person'),
  quist: ({ begins }) => begins('quist'),
  b: ({ begins }) => begins('b'),
  'jo%': ({ begins }) => begins('jo'),
  xyz: () => false,
  '%': () => false,
  '_*?': () => false,
  '\u200f': () => false,
  ['x'.repeat(255)]: () => false,
}

/** The text of a payload for the reference implementation. */
function readText(p: FixturePayload): PayloadTexts {
  const names = [
    ...p.names,
    ...p.numbers.filter((number) => number === 'A, B'),
    p.device_user_reference ?? '',
  ]
  names.push(FIXTURE_PEOPLE[Number(/^person (\d+)$/.exec(p.device_user_reference ?? '')?.[1] ?? 99)] ?? '')
  const plain = names.map((name) =>
    name
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .toLowerCase(),
  )
  const words = [...plain, ...plain.map((name) => name.replace(/[’-]/g, ''))].flatMap((name) =>
    name.split(/[ ,’-]+/),
  )
  const numbers = p.numbers.filter((number) => number !== 'A, B').map((number) => number.replace(/\D/g, ''))
  return {
    ends: (digits) => numbers.some((number) => number.endsWith(digits)),
    whole: (digits) => numbers.includes(digits),
    starts: (digits) => numbers.some((number) => number.startsWith(digits)),
    begins: (...all) => all.every((beginning) => words.some((word) => word.startsWith(beginning))),
  }
}

const database = await testDatabase()
const fixture = await createFixture(database.db, 'acme', 12)
const other = await createFixture(database.db, 'other', 2)
await fixture.add(600, seeded(1))
await other.add(30, seeded(2))
await database.db.owner.query('vacuum analyze')
after(() => database.drop())

describe('the payload list', () => {
  function getContext(lanes: Lane[], of = fixture): PortalContext {
    const caller = { client_id: of.client_id, access: accessTo(lanes) as unknown as Access }
    const readFromReplica: PortalContext['readFromReplica'] = (work) =>
      database.db.readFromReplica(of.client_id, work)
    return { caller, readFromReplica } as Partial<PortalContext> as PortalContext
  }
  async function ask(
    lanes: Lane[],
    query: Record<string, unknown>,
    of = fixture,
    effort?: PageEffort,
  ): Promise<Page<PayloadSummary> & Total> {
    const answer = await listPayloads({ cursors }, effort)(getContext(lanes, of), {
      params: undefined,
      body: undefined,
      query: PayloadQuery.parse(query),
    })
    const plain: unknown = answer instanceof PreparedJson ? JSON.parse(answer.text) : answer
    return api.listPayloads.response.parse(plain) as Page<PayloadSummary> & Total
  }
  async function walk(
    lanes: Lane[],
    query: Record<string, unknown>,
    effort?: PageEffort,
  ): Promise<PayloadSummary[]> {
    const pages = await paged((from) => ask(lanes, { ...query, ...from }, fixture, effort))
    assert.ok(pages.every(({ count, data }) => count === data.length))
    return pages.flatMap(({ data }) => data)
  }

  const laneSets = fc
    .tuple(
      fc.subarray([...PAYLOAD_TYPES]),
      fc.array(fc.option(fc.integer({ min: 0, max: 4095 }), { nil: undefined }), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([hidden, masks]): ((groups: Fixture['groups']) => Lane[]) => (groups) => {
      const shown = PAYLOAD_TYPES.filter((type) => !hidden.includes(type))
      return masks.flatMap((mask, i) => {
        const types = shown.filter((_, k) => k % masks.length === i)
        const ids =
          mask === undefined ? 'all' : groups.filter((_, k) => mask & (1 << k)).map((group) => group.group_id)
        return types.length > 0
          ? [{ types: types.length === 10 ? 'all' : types, groups: ids, groupless: mask === undefined }]
          : []
      })
    })
  const day = (n: number, time = '') =>
    new Date((FIXTURE_START + n * 86_400) * 1000).toISOString().slice(0, 10) + time
  const range = fc.record(
    {
      from: fc
        .tuple(fc.integer({ min: -3, max: 62 }), fc.constantFrom('', '-080000', '-120001'))
        .map(([n, time]) => day(n, time)),
      to: fc
        .tuple(fc.integer({ min: -3, max: 62 }), fc.constantFrom('', '-080000', '-120001'))
        .map(([n, time]) => day(n, time)),
    },
    { requiredKeys: [] },
  )
  const filters = fc
    .tuple(
      range,
      fc
        .record(
          {
            service: fc.constantFrom(...SERVICES),
            payload_types: fc.subarray([...PAYLOAD_TYPES], { minLength: 1 }),
            groups: fc
              .uniqueArray(fc.integer({ min: 0, max: 13 }), { minLength: 1, maxLength: 6 })
              .map((all) => all.map((n) => `Group "${n}"`)),
            device_user_reference: fc.integer({ min: 0, max: 12 }).map((n) => `person ${n}`),
            device_reference: fc.integer({ min: 0, max: 12 }).map((n) => `phone ${n}`),
            number: fc.constantFrom(...FIXTURE_NUMBERS, '+44'),
            thread_id: fc.constantFrom('1', '2', 'über/"3"', '4'),
            search: fc.constantFrom(...Object.keys(SEARCHES)),
            states: fc.subarray([...PAYLOAD_STATES], { minLength: 1 }),
            is_late: fc.constantFrom('true', 'false'),
            is_altered: fc.constantFrom('true', 'false'),
            order: fc.constantFrom('newest', 'oldest'),
          },
          { requiredKeys: [] },
        )
        .chain((all) =>
          fc
            .subarray(Object.keys(all), { maxLength: 3 })
            .map((keys) => Object.fromEntries(keys.map((key) => [key, all[key as keyof typeof all]]))),
        ),
      fc.constantFrom(...PAYLOAD_DATE_FILTERS),
    )
    .map(([dates, some, date_filter]): Record<string, unknown> => ({ ...dates, ...some, date_filter }))

  /** The reference implementation: checks every payload against every condition. */
  function expected(lanes: Lane[], query: Record<string, unknown>): FixturePayload[] {
    const q = PayloadQuery.parse(query)
    const { permits } = accessTo(lanes)
    const from = q.from === undefined ? 0 : (dateParameterToEpoch(q.from) as number)
    const to = q.to === undefined ? Infinity : (dateParameterToEpoch(q.to, true) as number)
    const time = (p: FixturePayload) => p[q.date_filter]
    return fixture.payloads
      .filter((p) => {
        const t = time(p)
        return (
          t !== null &&
          t >= from &&
          t < to &&
          permits('', { group_id: p.group_id, payload_type: p.payload_type }) &&
          (q.service === undefined || getService(p.payload_type) === q.service) &&
          (q.payload_types === undefined || q.payload_types.includes(p.payload_type)) &&
          (q.groups === undefined || q.groups.includes(p.group)) &&
          (q.device_user_reference === undefined || p.device_user_reference === q.device_user_reference) &&
          (q.device_reference === undefined || p.device_reference === q.device_reference) &&
          (q.number === undefined || p.numbers.includes(q.number)) &&
          (q.search === undefined || (SEARCHES[q.search] as (of: PayloadTexts) => boolean)(readText(p))) &&
          (q.thread_id === undefined || p.thread_id === q.thread_id) &&
          (q.is_late === undefined || p.is_late === q.is_late) &&
          (q.is_altered === undefined || p.is_altered === q.is_altered) &&
          (q.states
            ? q.states.includes(p.payload_state)
            : p.payload_state !== 'Deleted' && p.payload_state !== 'Destroyed')
        )
      })
      .toSorted(
        (a, b) =>
          (q.order === 'oldest' ? -1 : 1) * ((time(b) ?? 0) - (time(a) ?? 0) || b.payload_id - a.payload_id),
      )
  }

  /** Each removed state has entries of its own, which only lists by payload time read. */
  const removed = PAYLOAD_DATE_FILTERS.map((date_filter): [() => Lane[], Record<string, unknown>, '7'] => [
    () => EVERYTHING,
    { states: ['Deleted', 'Destroyed'], date_filter },
    '7',
  ])

  it('returns the same rows in the same order as a naive filter, for any page size', async () => {
    let shown = 0
    await fc.assert(
      fc.asyncProperty(
        laneSets,
        filters,
        fc.constantFrom('1', '7', '50', '200'),
        async (getLanes, query, limit) => {
          const lanes = getLanes(fixture.groups)
          const wanted = expected(lanes, query)
          const size = limit === '1' && wanted.length > 40 ? '7' : limit
          const rows = await walk(lanes, { ...query, limit: size })
          shown += rows.length
          assert.deepEqual(
            rows.map((row) => row.payload_reference),
            wanted.map((p) => p.payload_reference),
          )
          for (const [i, row] of rows.entries()) {
            const p = wanted[i] as FixturePayload
            assert.deepEqual(
              [
                row.payload_type,
                row.payload_state,
                row.payload_time,
                row.updated_at,
                row.group,
                row.device_reference,
                row.device_user_reference,
                row.is_late,
              ],
              [
                p.payload_type,
                p.payload_state,
                p.payload_time,
                p.updated_at,
                p.group,
                p.device_reference,
                p.device_user_reference,
                p.is_late,
              ],
            )
          }
          assert.deepEqual(await ask(lanes, { ...query, type: 'total' }), { total: wanted.length })
        },
      ),
      { numRuns: RUNS, examples: removed },
    )
    assert.ok(shown > RUNS, `only ${shown} rows in all`)
  })

  it('counts several filters in one call, like the list itself', async () => {
    await fc.assert(
      fc.asyncProperty(
        laneSets,
        fc.array(filters, { minLength: 1, maxLength: 5 }),
        async (getLanes, several) => {
          const lanes = getLanes(fixture.groups)
          const { totals } = (await countPayloads(getContext(lanes), {
            params: undefined,
            body: undefined,
            query: api.countPayloads.query.parse({ filters: several }),
          })) as Answer<Api['countPayloads']>
          assert.deepEqual(
            totals,
            several.map((query) => ({ total: expected(lanes, query).length })),
          )
        },
      ),
      { numRuns: RUNS / 5 },
    )
  })

  it('returns the same rows on shorter pages when the scan effort is limited', async () => {
    let short = 0
    const efforts = fc.record({
      scanned: fc.integer({ min: 1, max: 60 }),
      further: fc.record({ keys: fc.integer({ min: 2, max: 60 }), scanned: fc.integer({ min: 2, max: 60 }) }),
      rounds: fc.integer({ min: 1, max: 3 }),
      runs: fc.integer({ min: 1, max: 12 }),
    })
    await fc.assert(
      fc.asyncProperty(laneSets, filters, efforts, async (getLanes, query, effort) => {
        const lanes = getLanes(fixture.groups)
        const wanted = expected(lanes, query)
        const rows = await walk(lanes, { ...query, limit: '50' }, effort)
        const first = await ask(lanes, { ...query, limit: '50' }, fixture, effort)
        if (first.count < 50 && first.last_key) short++
        assert.deepEqual(
          rows.map((row) => row.payload_reference),
          wanted.map((p) => p.payload_reference),
        )
      }),
      { numRuns: RUNS },
    )
    assert.ok(short > 0, 'no page was short')
  })

  it('finds everything rare in one request, and stops a total at the requested count', async () => {
    const { owner } = database.db
    await owner.query(
      `insert into legal_holds (client_id, target_type, target, device_user_id, is_active, created_at, updated_at, updated_by)
       select client_id, 'DeviceUser', device_user_reference, device_user_id, true, 0, 0, 't' from device_users
       where client_id = $1 order by device_user_id limit 1`,
      [fixture.client_id],
    )
    // The person on hold had a device for the older half of its recordings, which name another person.
    await owner.query(
      `insert into device_history (client_id, device_id, from_at, to_at, device_user_id, group_id)
       select client_id, device_id, 0, percentile_disc(0.5) within group (order by payload_time),
         (select min(device_user_id) from device_users where client_id = $1), min(group_id)
       from payloads where client_id = $1 group by 1, 2 having count(*) > 5 order by count(*) limit 1`,
      [fixture.client_id],
    )
    await owner.query(
      `insert into payload_opened (client_id, payload_id, person, opened_at, service, payload_time, group_id, type)
       select client_id, payload_id, '', 1, service, payload_time, group_id, type from payloads
       where client_id = $1 and payload_id % 9 = 0 and state not in (9, 10) and not is_copy`,
      [fixture.client_id],
    )
    await owner.query(
      `insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at)
       select client_id, payload_id, 'archive', 1 from payloads where client_id = $1 and payload_id % 9 <> 4`,
      [fixture.client_id],
    )
    // One statement, which reads no more entries than a page has rows.
    const once: PageEffort = { scanned: 201, further: { keys: 201, scanned: 201 }, rounds: 1 }
    const getReferences = (rows: readonly { payload_reference: string }[]) =>
      rows.map(({ payload_reference }) => payload_reference)
    const notHeld = new Set(getReferences(await walk(EVERYTHING, { is_held: 'false', limit: '200' })))
    const all = expected(EVERYTHING, {})
    const rare: [Record<string, unknown>, FixturePayload[]][] = [
      [{ is_late: 'true', service: 'calls' }, expected(EVERYTHING, { is_late: 'true', service: 'calls' })],
      [{ states: ['Quarantined'] }, expected(EVERYTHING, { states: ['Quarantined'] })],
      [{ states: ['Recorded'] }, expected(EVERYTHING, { states: ['Recorded'] })],
      [{ states: ['Destroyed'] }, expected(EVERYTHING, { states: ['Destroyed'] })],
      [{ states: ['Deleted', 'Destroyed'] }, expected(EVERYTHING, { states: ['Deleted', 'Destroyed'] })],
      [{ is_held: 'true' }, all.filter((p) => !notHeld.has(p.payload_reference))],
      [{ heard: 'me' }, all.filter((p) => p.payload_id % 9 === 0)],
      [{ has_receipt: 'false' }, all.filter((p) => p.payload_id % 9 === 4)],
    ]
    for (const [query, wanted] of rare) {
      const page = await ask(EVERYTHING, { ...query, limit: '200' }, fixture, once)
      const what = JSON.stringify(query)
      assert.deepEqual(getReferences(page.data), getReferences(wanted), what)
      assert.equal(page.last_key, undefined, what)
      assert.ok(wanted.length > 3, what)
      const total = await ask(EVERYTHING, { ...query, type: 'total', most: '3' })
      assert.deepEqual(total, { total: 3, is_capped: true }, what)
      assert.deepEqual(await ask(EVERYTHING, { ...query, type: 'total' }), { total: wanted.length }, what)
    }
  })

  it('does not show by the end of a search that a device of another group exists', async () => {
    const other = await createFixture(database.db, 'hidden', 2)
    await other.add(1, seeded(5))
    const [hidden, seen] = other.groups.map(({ group_id }) => group_id)
    await database.db.owner.query(
      `with d as (
         insert into devices (client_id, device_reference, group_id, updated_at, updated_by) values ($1, 'hidden phone', $2, 1, 'x') returning *)
       insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, announced_at, updated_at)
       select client_id, 'hidden ' || n, service, type, state, payload_time, d.group_id, d.device_id, announced_at, p.updated_at
       from (select * from payloads where client_id = $1 limit 1) p join d using (client_id) cross join generate_series(1, 400) n`,
      [other.client_id, hidden],
    )
    const lanes: Lane[] = [{ types: 'all', groups: [seen ?? 0], groupless: false }]
    const effort: PageEffort = { scanned: 51, further: { keys: 51, scanned: 51 }, rounds: 1 }
    for (const device_reference of ['hidden phone', 'missing']) {
      const page = await ask(lanes, { device_reference, limit: '1' }, other, effort)
      assert.deepEqual([page.data, page.last_key], [[], undefined], device_reference)
      const total = await ask(lanes, { device_reference, type: 'total', most: '1' }, other)
      assert.deepEqual(total, { total: 0 }, device_reference)
    }
    // What it recorded before it moved there stays in reach.
    const former = ulid()
    await database.db.owner.query(
      `insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, announced_at, updated_at)
       select client_id, $3, service, type, state, payload_time, $2, device_id, announced_at, updated_at
       from payloads where client_id = $1 and payload_reference = 'hidden 400'`,
      [other.client_id, seen, former],
    )
    const device_reference = 'hidden phone'
    const pages = await paged((query) => ask(lanes, { device_reference, ...query }, other, effort))
    const found = pages.flatMap(({ data }) => data)
    assert.deepEqual(
      found.map(({ payload_reference }) => payload_reference),
      [former],
    )
  })

  it('counts payloads with a receipt when receipts are many or few', async () => {
    const { owner } = database.db
    const confirm = (apps: number) =>
      owner.query(
        `insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at)
         select client_id, payload_id, 'app ' || i, 0 from (
           select client_id, payload_id from payloads
           where client_id = $1 and payload_id % 9 <> 4 and state not in (9, 10) and not is_copy limit 1) p
         cross join generate_series(1, ${apps}) i on conflict do nothing`,
        [fixture.client_id],
      )
    const assertTotals = async () => {
      for (const query of [{}, { service: 'calls' }, { payload_types: ['SMS'] }, { states: ['Processed'] }]) {
        const rows = await walk(EVERYTHING, { ...query, has_receipt: 'true', limit: '200' })
        const total = await ask(EVERYTHING, { ...query, has_receipt: 'true', type: 'total' })
        assert.deepEqual(total, { total: rows.length }, JSON.stringify(query))
      }
    }
    await confirm(1)
    await assertTotals()
    await confirm(2001)
    await assertTotals()
    // A row too much: the list looks at the receipts as well.
    await owner.query(
      `insert into payload_unconfirmed (client_id, service, payload_time, payload_id, group_id, type)
       select client_id, service, payload_time, payload_id, group_id, type from payloads
       where client_id = $1 and payload_id % 9 = 5 and state not in (9, 10) and not is_copy on conflict do nothing`,
      [fixture.client_id],
    )
    await assertTotals()
  })

  it('counts frequent words by the index, without reading texts', async () => {
    // Each word has more runs than the search merges.
    const few: PageEffort = { scanned: 201, further: { keys: 201, scanned: 201 }, rounds: 1, runs: 1 }
    for (const search of ['jo', 'jo me', 'b']) {
      const texts: number[] = []
      const context = getContext(EVERYTHING)
      const readFromReplica: PortalContext['readFromReplica'] = (work) =>
        context.readFromReplica((q) => {
          const query: typeof q.query = async (text, values) => {
            if (text.includes(' as found')) texts.push(await textsRead(q, text, values))
            return q.query(text, values)
          }
          return work(Object.assign(Object.create(q) as typeof q, { query }))
        })
      const query = PayloadQuery.parse({ search, service: 'calls', type: 'total', most: '3' })
      const total = await listPayloads({ cursors }, few)(
        { ...context, readFromReplica },
        { params: undefined, body: undefined, query },
      )
      assert.deepEqual(total, { total: 3, is_capped: true }, search)
      assert.ok(texts.length > 0 && texts.every((read) => read === 0), search)
    }
  })

  it('counts for a reader who is limited to legal matters by reading each payload once', async () => {
    const context = getContext(EVERYTHING)
    const statements: string[] = []
    const { rows } = await context.readFromReplica((q) =>
      q.query<{ id: number; count: number }>(
        `select device_user_id as id, count(*)::int as count from payloads where client_id = $1 and service = 1 and not is_copy
           and state not in (9, 10) and device_user_id is not null group by 1 order by 2 desc limit 2`,
        [fixture.client_id],
      ),
    )
    const count = rows.reduce((sum, each) => sum + each.count, 0)
    for (const most of [3, count, count + 1]) {
      const total = await context.readFromReplica(async (q) => {
        const query = PayloadQuery.parse({ service: 'calls', type: 'total' })
        const filter = await resolveFilter(q, context.caller.access, 'payloads:list', query)
        assert.ok(filter)
        statements.length = 0
        const counted: typeof q.query = (text, values) => {
          statements.push(text)
          return q.query(text, values)
        }
        const limited = rows.map(({ id }) => id)
        const counting = Object.assign(Object.create(q) as typeof q, { query: counted })
        return readListTotal(counting, { ...filter, limited }, most)
      })
      assert.deepEqual(total, most < count ? { total: most, is_capped: true } : { total: count }, `${most}`)
      assert.equal(statements.length, 1)
    }
  })

  /** Rows of texts that a statement reads. */
  async function textsRead(q: Queryable, text: string, values: readonly unknown[] = []): Promise<number> {
    interface Node {
      'Relation Name'?: string
      'Actual Rows': number
      'Actual Loops': number
      Plans?: Node[]
    }
    const explained = await q.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
      `explain (analyze, timing off, format json) ${text}`,
      values,
    )
    const read = (node: Node): number =>
      (node['Relation Name'] === 'payload_documents' ? node['Actual Rows'] * node['Actual Loops'] : 0) +
      (node.Plans ?? []).reduce((sum, each) => sum + read(each), 0)
    const [plan] = explained.rows[0]?.['QUERY PLAN'] ?? []
    assert.ok(plan)
    return read(plan.Plan)
  }

  it('finds typed numbers and names, and nothing else', async () => {
    for (const search of Object.keys(SEARCHES)) {
      for (const service of ['calls', 'messages']) {
        const wanted = expected(EVERYTHING, { search, service }).map((p) => p.payload_reference)
        const rows = await walk(EVERYTHING, { search, service, limit: '200' })
        assert.deepEqual(
          rows.map((row) => row.payload_reference),
          wanted,
          search,
        )
        for (const { device_user_reference, person_name } of rows)
          assert.equal(person_name, FIXTURE_PEOPLE[Number(/\d+$/.exec(device_user_reference ?? '')?.[0])])
      }
    }
  })

  it('finds a payload by its reference, only in its own client and permitted groups', async () => {
    const [wanted, ...rest] = fixture.payloads.filter(({ payload_state }) => payload_state === 'Processed')
    assert.ok(wanted)
    const { payload_reference, group_id } = wanted
    for (const search of [payload_reference, ` ${payload_reference}\n`.trimEnd()]) {
      const { data } = await ask(EVERYTHING, { search })
      assert.deepEqual(
        data.map((row) => row.payload_reference),
        [payload_reference],
      )
    }
    const elsewhere = rest.find((p) => p.group_id !== group_id)?.group_id ?? 0
    assert.equal(
      (await ask([{ types: 'all', groups: [elsewhere], groupless: false }], { search: payload_reference }))
        .count,
      0,
    )
    assert.equal((await ask(EVERYTHING, { search: payload_reference }, other)).count, 0)
    assert.deepEqual(await ask(EVERYTHING, { search: payload_reference, type: 'total' }), { total: 1 })
  })

  it('continues without gaps or duplicates while payloads arrive', async () => {
    const before = expected(EVERYTHING, {})
    const seen: string[] = []
    const random = seeded(9)
    for (let last_key: string | undefined, first = true; first || last_key; first = false) {
      const page = await ask(EVERYTHING, { limit: '40', ...(last_key ? { last_key } : {}) })
      seen.push(...page.data.map((row) => row.payload_reference))
      last_key = page.last_key
      await fixture.add(3, random)
    }
    assert.equal(new Set(seen).size, seen.length, 'a payload came twice')
    for (const { payload_reference } of before)
      assert.ok(seen.includes(payload_reference), 'a payload was skipped')
  })
})
