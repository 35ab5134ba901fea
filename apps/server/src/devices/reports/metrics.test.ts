import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import {
  api,
  type DeviceMetric,
  METRIC_SCOPES,
  METRIC_SUBJECTS,
  type MetricScope,
  type MetricSubject,
  type Page,
  type PayloadMetric,
  type PayloadType,
} from '@custodia/contract'
import type { Phone } from '@custodia/device-sdk'
import type { PortalContext } from '../../http/context.ts'
import { makeCursors } from '../../http/cursor.ts'
import { getStart, timeRange } from '../../http/time-range.ts'
import type { Tx } from '../../ports/database/lease.ts'
import {
  type AccessFixture,
  type Person,
  accessFixture,
  getProblem,
  getRows,
  everyRow,
} from '../../testing/access-fixture.ts'
import { accessTo, type Fixture, createFixture } from '../../testing/list-fixture.ts'
import { demoPhone, getMessage, getRecording } from '../../testing/phones.ts'
import { seeded } from '../../testing/require-part.ts'
import { paged, type TestContext, testContext } from '../../testing/test-context.ts'
import { metricRoutes } from './metrics.ts'

const at = (text: string) => Date.parse(`${text}Z`) / 1000
const OF_METRICS = ['metrics:list']

describe('device metrics', () => {
  let fixture: AccessFixture
  let harriet: Phone
  let reference: string
  before(async () => {
    fixture = await accessFixture()
    harriet = await open('Harriet')
    const joao = await open('João')
    reference = (await harriet.authenticate()).device_reference
    await joao.authenticate()
    // The last second of a Sunday and of a year, and the first seconds of the next.
    await send(
      harriet,
      'SMS',
      at('2023-12-31T23:59:59'),
      at('2024-01-01T00:00:00'),
      at('2024-01-07T12:00:00'),
    )
    await send(harriet, 'Photo', at('2024-01-08T00:00:00'))
    await send(joao, 'SMS', at('2024-01-07T12:00:00'))
    for (const group of ['North', 'South'])
      await fixture.giveRole(`${group} desk`, [
        { actions_matching: OF_METRICS, conditions: [{ names_matching: [group] }] },
      ])
    await fixture.giveRole('Photos', [{ actions_matching: OF_METRICS }], { payload_types: ['Photo'] })
  })
  after(() => fixture?.close())

  const open = (name: string, more: object = {}) =>
    demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, name, more)
  async function send(phone: Phone, type: PayloadType, ...times: number[]) {
    for (const payload_time of times)
      await phone.record(getRecording(type, getMessage('Hello'), { payload_time }).recording)
    await phone.sync({ patience: 0 })
  }
  const list = (person: Person, scope: MetricScope, query: object = {}) =>
    getRows(person.api.listMetrics({ params: { scope }, query }))
  const counts = async (person: Person, scope: MetricScope, subject: MetricSubject, query: object = {}) => {
    const answer = await getRows(person.api.countMetrics({ params: { scope, subject }, query }))
    return answer.map(({ id, counts: each, count }) => [id, each, count])
  }
  const readState = (rows: readonly DeviceMetric[]) =>
    rows.map(({ period, payload_type, count }) => [
      period === null ? null : new Date(period * 1000).toISOString().slice(0, 10),
      payload_type,
      count,
    ])

  it('are listed per device, device user, group and type, with the first and last time', async () => {
    const [row] = await list(fixture.alice, 'Summary', {
      device_reference: reference,
      payload_types: ['SMS'],
    })
    assert.deepEqual(
      { ...row, updated_at: 0 },
      {
        client: 'acme',
        period: null,
        device_reference: reference,
        device_name: 'Harriet Cole · Pretend 1',
        device_user_reference: 'Harriet Cole',
        person_name: 'Harriet Cole',
        group: 'North',
        payload_type: 'SMS',
        first_occurrence: at('2023-12-31T23:59:59'),
        last_occurrence: at('2024-01-07T12:00:00'),
        count: 3,
        updated_at: 0,
      },
    )
  })

  it('are counted by day, week from Monday, month and year, newest first', async () => {
    const of = { device_reference: reference }
    assert.deepEqual(readState(await list(fixture.alice, 'Daily', of)), [
      ['2024-01-08', 'Photo', 1],
      ['2024-01-07', 'SMS', 1],
      ['2024-01-01', 'SMS', 1],
      ['2023-12-31', 'SMS', 1],
    ])
    assert.deepEqual(readState(await list(fixture.alice, 'Weekly', of)), [
      ['2024-01-08', 'Photo', 1],
      ['2024-01-01', 'SMS', 2],
      ['2023-12-25', 'SMS', 1],
    ])
    const monthly = readState(await list(fixture.alice, 'Monthly', of))
    assert.deepEqual(monthly.slice(0, 2).toSorted(), [
      ['2024-01-01', 'Photo', 1],
      ['2024-01-01', 'SMS', 2],
    ])
    assert.deepEqual(monthly.slice(2), [['2023-12-01', 'SMS', 1]])
    assert.deepEqual(readState(await list(fixture.alice, 'Yearly', { ...of, payload_types: ['SMS'] })), [
      ['2024-01-01', 'SMS', 2],
      ['2023-01-01', 'SMS', 1],
    ])
  })

  it('include the period of the start date and no period after the end date', async () => {
    const of = { device_reference: reference, payload_types: ['SMS'] }
    const within = (scope: MetricScope, from: string, to: string) =>
      list(fixture.alice, scope, { ...of, from, to })
    assert.deepEqual(readState(await within('Weekly', '2024-01-03', '2024-01-05')), [
      ['2024-01-01', 'SMS', 2],
    ])
    assert.deepEqual(readState(await within('Monthly', '2023-12-31', '2023-12-31')), [
      ['2023-12-01', 'SMS', 1],
    ])
    assert.deepEqual(readState(await within('Daily', '2024-01-02', '2024-01-06')), [])
    const problem = await getProblem(within('Summary', '2024-01-01', '2024-01-02'))
    assert.deepEqual(
      [problem.code, problem.faults.map(({ path }) => path)],
      ['invalid_input', ['from', 'to']],
      'all time has no dates',
    )
  })

  it('are summed by period, device, user and group, with a count per payload type', async () => {
    assert.deepEqual(
      await counts(fixture.alice, 'Yearly', 'periods', { from: '2023-01-01', to: '2024-12-31' }),
      [
        ['2024-01-01', { Photo: 1, SMS: 3 }, 4],
        ['2023-01-01', { SMS: 1 }, 1],
      ],
    )
    assert.deepEqual(
      await counts(fixture.alice, 'Weekly', 'periods', { payload_types: ['SMS'], to: '2024-02-01' }),
      [
        ['2024-01-01', { SMS: 3 }, 3],
        ['2023-12-25', { SMS: 1 }, 1],
      ],
    )
    assert.deepEqual(await counts(fixture.alice, 'Summary', 'devices', { device_reference: reference }), [
      [reference, { Photo: 1, SMS: 3 }, 4],
    ])
    assert.deepEqual(
      await counts(fixture.alice, 'Monthly', 'users', { from: '2024-01-01', to: '2024-01-31' }),
      [
        ['Harriet Cole', { Photo: 1, SMS: 2 }, 3],
        ['João Almeida', { SMS: 1 }, 1],
      ],
    )
    assert.deepEqual(
      (await counts(fixture.alice, 'Monthly', 'groups', { from: '2024-01-01', to: '2024-01-31' })).toSorted(),
      [
        ['North', { Photo: 1, SMS: 2 }, 3],
        ['South', { SMS: 1 }, 1],
      ],
    )
    assert.deepEqual(
      await counts(fixture.alice, 'Daily', 'periods', { device_user_reference: 'João Almeida' }),
      [['2024-01-07', { SMS: 1 }, 1]],
    )
  })

  it('are listed page by page without loss, and as a total', async () => {
    const subjects = ['periods', 'devices', 'users', 'groups'] as const
    for (const subject of subjects) {
      const whole = await counts(fixture.alice, 'Daily', subject)
      const totals = whole.map(([, , count]) => Number(count))
      if (subject !== 'periods')
        assert.deepEqual(
          totals,
          totals.toSorted((a, b) => b - a),
        )
      const params = { scope: 'Daily', subject } as const
      const parts = await everyRow((paging) =>
        fixture.alice.api.countMetrics({ params, query: { limit: 1, ...paging } }),
      )
      assert.deepEqual(
        parts.map(({ id, counts: each, count }) => [id, each, count]),
        whole,
        subject,
      )
      assert.deepEqual(
        await fixture.alice.api.countMetrics({
          params: { scope: 'Daily', subject },
          query: { type: 'total' },
        }),
        { total: whole.length },
      )
    }
  })
})

describe('stored payload metrics', () => {
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
  const REASSIGN = `
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

  test('sums equal the payloads of their periods, for readers of all groups and of some, page by page', async () => {
    const routes = metricRoutes({ cursors: makeCursors(Buffer.alloc(32, 1)), now: () => 0 })
    const ranges = [
      {},
      { from: '2026-01-28', to: '2026-02-10' },
      { from: '2025-12-31' },
      { to: '2026-03-01' },
    ]
    const some = fixture.groups.slice(0, 2).map(({ group_id }) => group_id)
    for (const groups of ['all', some] as const)
      for (const scope of METRIC_SCOPES)
        for (const subject of METRIC_SUBJECTS)
          for (const query of scope === 'Summary' ? [{}] : ranges) {
            const access = {
              ...accessTo([{ types: 'all', groups, groupless: true }]),
              groups: () => groups,
              may: () => false,
            }
            const read: PortalContext['read'] = (work) => context.context.db.read(fixture.client_id, work)
            const caller = { client_id: fixture.client_id, access }
            const asking = {
              caller,
              action: 'metrics:list',
              read,
              readFromReplica: read,
            } as unknown as PortalContext
            const rows = await paged(async (paging) => {
              const parsed = api.countMetrics.query.parse({ ...query, limit: '7', ...paging })
              const input = { params: { client: 'acme', scope, subject }, query: parsed, body: undefined }
              return (await routes.countMetrics(asking, input)) as Page<PayloadMetric>
            })
            const found = rows
              .flatMap(({ data }) => data)
              .map(({ id, counts, count }) => ({ id, counts, count }))
            const what = JSON.stringify({ groups, scope, subject, query })
            const byId = (all: typeof found) => all.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
            assert.deepEqual(byId(found), byId(summed(scope, subject, query, groups)), what)
          }
  })

  /** The sums, by counting each payload. */
  function summed(
    scope: MetricScope,
    subject: MetricSubject,
    query: { from?: string; to?: string },
    groups: 'all' | readonly number[],
  ) {
    const { from, to } = timeRange(query)
    const startIn = (time: number): number => {
      if (scope === 'Summary') return 0
      if (scope === 'Weekly') return time - ((time + 3 * 86_400) % (7 * 86_400))
      return getStart(({ Daily: 'day', Monthly: 'month', Yearly: 'year' } as const)[scope], time)
    }
    const sums = new Map<string | null, { counts: Record<string, number>; count: number }>()
    for (const payload of fixture.payloads) {
      const start = startIn(payload.payload_time)
      const { payload_state: state, payload_type, group_id } = payload
      if (state === 'Deleted' || state === 'Destroyed' || (groups !== 'all' && !groups.includes(group_id)))
        continue
      if (scope !== 'Summary' && (start < startIn(from) || start >= to)) continue
      const id = {
        periods: scope === 'Summary' ? 'Summary' : new Date(start * 1000).toISOString().slice(0, 10),
        devices: payload.device_reference,
        users: payload.device_user_reference,
        groups: payload.group,
      }[subject]
      const sum = sums.get(id) ?? { counts: {}, count: 0 }
      sum.counts[payload_type] = (sum.counts[payload_type] ?? 0) + 1
      sums.set(id, { ...sum, count: sum.count + 1 })
    }
    return [...sums].map(([id, sum]) => ({ id, ...sum }))
  }

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
          await change(REASSIGN, [some(), groups[(lane + i) % groups.length], fixture.client_id])
          await change(TURN, [some(), fixture.client_id])
        }
      }),
    ])
    const after = await compared()
    assert.deepEqual(after.kept, after.there)
    assert.notDeepEqual(after.kept, before.kept)
  })
})
