import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { GpsMeta, LogEntry, Page, Telemetry, Total } from '@custodia/contract'
import type { Phone } from '@custodia/device-sdk'
import { ulid } from 'ulid'
import { dropEmptyMonths, makeMonths } from '../../ports/database/partitions.ts'
import {
  accessFixture,
  getCode,
  type Person,
  getProblem,
  getRows,
  everyRow,
} from '../../testing/access-fixture.ts'
import { demoPhone } from '../../testing/phones.ts'
import { reassignClient } from '../reassign.ts'
import { GPS, LOGS, type ReportKind, TELEMETRY } from './store.ts'

const DAY = 86_400
type Report = GpsMeta | LogEntry | Telemetry
type Row = { device_user_reference: string | null; group: string; [field: string]: unknown }
type ListResponse = Promise<Page<Row> | Total>

/** A kind with its calls. `text` distinguishes reports. */
interface Case {
  kind: ReportKind
  actions: string[]
  make(at: number, text?: number): Report
  getText(row: Row): unknown
  send(phone: Phone, reports: readonly Report[]): Promise<readonly { status: string }[]>
  ofDevice(person: Person, device_reference: string, query: object): ListResponse
  ofUser?(person: Person, device_user_reference: string, query: object): ListResponse
  ofAll(person: Person, query: object): ListResponse
}

const id = () => `${ulid()}-${ulid()}`
const CASES: Record<string, Case> = {
  'device logs': {
    kind: LOGS,
    actions: ['device_logs:list', 'devices.logs:list', 'users.logs:list'],
    make: (log_datetime, text = 0) => ({
      log_id: id(),
      log_datetime,
      log_message: `Line ${text}`,
      log_class: 'Uploader',
      log_level: 'INFO',
      local_timezone: 'UTC',
    }),
    getText: ({ log_message }) => log_message,
    send: (phone, logs) => phone.log(logs as LogEntry[]),
    ofDevice: ({ api }, device_reference, query) =>
      api.listLogsOfDevice({ params: { device_reference }, query }),
    ofUser: ({ api }, device_user_reference, query) =>
      api.listLogsOfUser({ params: { device_user_reference }, query }),
    ofAll: ({ api }, query) => api.listDeviceLogs({ query }),
  },
  positions: {
    kind: GPS,
    actions: ['gps:list', 'devices.gps:list', 'users.gps:list'],
    make: (timestamp, text = 0) => ({
      gps_reference: ulid(),
      timestamp,
      latitude: text,
      longitude: 1,
      timezone: 'UTC',
    }),
    getText: ({ latitude }) => latitude,
    send: (phone, points) => phone.locate(points as GpsMeta[]),
    ofDevice: ({ api }, device_reference, query) =>
      api.listGpsOfDevice({ params: { device_reference }, query }),
    ofUser: ({ api }, device_user_reference, query) =>
      api.listGpsOfUser({ params: { device_user_reference }, query }),
    ofAll: ({ api }, query) => api.listLastPositions({ query }),
  },
  telemetry: {
    kind: TELEMETRY,
    actions: ['telemetry:list', 'devices.telemetry:list'],
    make: (telemetry_time, text = 0) => ({
      telemetry_id: id(),
      telemetry_time,
      model: `Model ${text}`,
      timezone: 'UTC',
      os_version: '16',
      app_version: '4',
    }),
    getText: ({ facts }) => (facts as Telemetry).model,
    send: (phone, telemetry) => phone.telemetry(telemetry as Telemetry[]),
    ofDevice: ({ api }, device_reference, query) =>
      api.listTelemetryOfDevice({ params: { device_reference }, query }),
    ofAll: ({ api }, query) => api.listTelemetry({ query }),
  },
}

const open = (person: string, more: object = {}) =>
  demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, person, more)

const fixture = await accessFixture()
const harriet = await open('Harriet')
const joao = await open('João')
const reference = (await harriet.authenticate()).device_reference
await joao.authenticate()
const now = fixture.server.ctx.now()
const actions_matching = [...Object.values(CASES).flatMap(({ actions }) => actions), 'devices:read']
for (const group of ['North', 'South'])
  await fixture.giveRole(`${group} desk`, [{ actions_matching, conditions: [{ names_matching: [group] }] }])
// Two devices are expected.
await (await open('Harriet', { spare: 1 })).authenticate()
after(() => fixture.close())

let spare = 1

for (const [name, { kind, make, getText, send, ...lists }] of Object.entries(CASES)) {
  const { table, time } = kind.list
  /** The same report with other content. */
  const alter = (report: Report, text: number): Report =>
    ({ ...make(0, text), [kind.reference]: getId(report), [time]: Reflect.get(report, time) }) as Report
  const getId = (report: object): string => Reflect.get(report, kind.reference) as string

  describe(name, () => {
    const statuses = async (phone: Phone, reports: readonly Report[]) =>
      (await send(phone, reports)).map(({ status }) => status)
    const listed = (person: Person, query: object = {}, device = reference) =>
      getRows(lists.ofDevice(person, device, { limit: 200, ...query }))
    const date = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10)

    it('are stored once, and a different report with the same id is a conflict', async () => {
      const [one, other] = [make(now, 1), make(now, 2)]
      await send(harriet, [one])
      assert.deepEqual(await statuses(harriet, [one, other]), ['stored', 'stored'])
      const altered = alter(one, 3)
      assert.deepEqual(await statuses(harriet, [altered]), ['conflict'])
      // The same id on another device is another report, so no device can block another's ids.
      assert.deepEqual(await statuses(joao, [altered]), ['stored'])
      const rows = (await listed(fixture.alice)).filter((row) => getId(row) === getId(one))
      assert.deepEqual(rows.map(getText), [getText({ facts: one, ...one } as unknown as Row)])
    })

    it('are stored once by parallel uploads, and of two versions one is stored', async () => {
      const at = now - 5 * DAY
      const many = Array.from({ length: 60 }, (_, i) => make(at + i))
      const answers = await Promise.all(Array.from({ length: 5 }, () => statuses(harriet, many)))
      assert.ok(answers.flat().every((status) => status === 'stored'))
      const pairs = Array.from({ length: 20 }, (_, i) => make(at + i)).map((one) => [one, alter(one, 7)])
      const results = await Promise.all(
        pairs.flat().map(async (report) => ({ report, status: (await statuses(harriet, [report]))[0] })),
      )
      const kept = results.filter(({ status }) => status === 'stored').map(({ report }) => report)
      assert.equal(kept.length, pairs.length)
      assert.equal(results.filter(({ status }) => status === 'conflict').length, pairs.length)
      const rows = await listed(fixture.alice, { from: date(at), to: date(at) })
      assert.equal(rows.length, many.length + pairs.length)
      for (const report of kept)
        assert.equal(
          getText(rows.find((row) => getId(row) === getId(report)) as Row),
          getText({ facts: report, ...report } as unknown as Row),
        )
    })

    it('belong to the device user who held the device at that time', async () => {
      await fixture.sql(
        `insert into device_history (client_id, device_id, from_at, to_at, device_user_id, group_id)
         select d.client_id, d.device_id, 1000, 2000, u.device_user_id, u.group_id from devices d, device_users u
         where d.device_reference = $1 and u.device_user_reference = 'João Almeida'`,
        [reference],
      )
      const report = make(1500)
      await send(harriet, [report])
      await fixture.sql('delete from device_history where to_at = 2000')
      const [south, north] = [
        await fixture.personWith(['South desk']),
        await fixture.personWith(['North desk']),
      ]
      const then = { from: '1970-01-01', to: '1970-01-02' }
      const rows = await listed(south)
      assert.deepEqual(
        rows.map((row) => [getId(row), row.device_user_reference, row.group]),
        [[getId(report), 'João Almeida', 'South']],
      )
      assert.deepEqual(await listed(north, then), [])
      // Other reports change the model.
      const namesIn = (seen: Row[]) =>
        seen.map(({ device_name, person_name }) => [
          (device_name as string | undefined)?.replace(/(Pretend|Model) \d+$/, 'model'),
          person_name,
        ])
      const isNamed = kind !== GPS
      assert.deepEqual(namesIn(rows), [[undefined, undefined]], 'a reader of neither device nor person')
      assert.deepEqual(namesIn(await listed(fixture.alice, then)), [
        isNamed ? ['Harriet Cole · model', 'João Almeida'] : [undefined, undefined],
      ])
      for (const names of namesIn(await listed(north)))
        assert.deepEqual(names, [isNamed ? 'model' : undefined, undefined], 'no right to read people')
      if (!lists.ofUser) return
      assert.equal(await getCode(lists.ofUser(north, 'João Almeida', {})), 'not_found')
      assert.deepEqual((await getRows(lists.ofUser(south, 'João Almeida', then))).map(getId), [getId(report)])
    })

    it('are accepted after weeks offline and listed page by page without loss, also as a total', async () => {
      const at = now - 20 * DAY
      const many = Array.from({ length: 300 }, (_, i) => make(at + Math.floor(i / 7)))
      assert.ok((await statuses(harriet, many)).every((status) => status === 'stored'))
      const query = { from: date(at), to: date(at + DAY) }
      const seen = await everyRow((paging) =>
        lists.ofDevice(fixture.alice, reference, { ...query, limit: 70, ...paging }),
      )
      assert.deepEqual(seen.map(getId).toSorted(), many.map(getId).toSorted())
      const total = await lists.ofDevice(fixture.alice, reference, { ...query, type: 'total' })
      assert.deepEqual(total, { total: many.length })
    })

    it('are reassigned when a waiting device is confirmed', async () => {
      const third = await open('Harriet', { spare: ++spare })
      const { device_reference } = await third.authenticate()
      await send(third, [make(now - 5), make(now, 9)])
      const north = await fixture.personWith(['North desk'])
      assert.equal(await getCode(listed(north, {}, device_reference)), 'not_found')
      await fixture.alice.api.confirmDeviceHolder({
        params: { device_reference },
        body: { decision: 'confirm' },
      })
      const client_id = await fixture.server.getId('acme')
      await reassignClient(fixture.server.ctx, client_id, new AbortController().signal, 1)
      const rows = await listed(north, {}, device_reference)
      assert.deepEqual(
        rows.map((row) => [row.group, row.device_user_reference]),
        [
          ['North', 'Harriet Cole'],
          ['North', 'Harriet Cole'],
        ],
      )
      const [newest] = await getRows(
        lists.ofAll(north, { device_reference, ...(kind === TELEMETRY && { latest: true }) }),
      )
      assert.deepEqual([newest?.[time], newest?.group], [now, 'North'])
    })

    it('are stored in monthly partitions, which are dropped when they are over and empty', async () => {
      const { db } = fixture.server.ctx
      const { signal } = new AbortController()
      // Far in the future, where no other test uses partitions.
      const begin = Date.UTC(2090, 5, 1) / 1000
      const partitions = async () =>
        (
          await fixture.sql<{ name: string }>(
            `select inhrelid::regclass::text as name from pg_inherits where inhparent = '${table}'::regclass`,
          )
        ).map(({ name: partition }) => partition)
      const stored = () =>
        fixture.sql<{ name: string }>(
          `select tableoid::regclass::text as name from ${table} where ${time} >= $1`,
          [begin],
        )
      await send(harriet, [make(begin + 5 * DAY)])
      assert.deepEqual(await stored(), [{ name: `${table}_default` }], 'no report is refused')
      await makeMonths(db, kind.list, begin, signal)
      assert.deepEqual(await stored(), [{ name: `${table}_2090_06` }])
      // A future report does not lead the list of all devices, and is not lost there.
      const ids = async (query: object) =>
        (await getRows(lists.ofAll(fixture.alice, query))).map((row) => row[time])
      assert.ok(!(await ids({})).includes(begin + 5 * DAY))
      if (kind !== GPS)
        for (const query of [{ to: '2096-01-01' }, { from: '2089-01-01' }, { device_reference: reference }])
          assert.ok((await ids(query)).includes(begin + 5 * DAY), JSON.stringify(query))
      await dropEmptyMonths(db, kind.list, begin - DAY, signal)
      assert.ok((await partitions()).includes(`${table}_2090_07`), 'the month has not ended')
      const over = Date.UTC(2091, 0, 1) / 1000
      await dropEmptyMonths(db, kind.list, over, signal)
      const left = await partitions()
      assert.ok(left.includes(`${table}_2090_06`) && !left.includes(`${table}_2090_07`))
      await fixture.sql(`delete from ${table} where ${time} >= $1`, [begin])
      await dropEmptyMonths(db, kind.list, over, signal)
      assert.ok(!(await partitions()).includes(`${table}_2090_06`))
    })

    it('cannot be altered, deleted or read directly from a partition', async () => {
      const { db } = fixture.server.ctx
      const client_id = await fixture.server.getId('acme')
      for (const sql of [
        `select from ${table}_default`,
        `delete from ${table}_default`,
        `update ${table} set received_at = 1`,
        'delete from gps_keys',
      ])
        await assert.rejects(
          db.write(client_id, (tx) => tx.query(sql)),
          /permission denied/,
        )
    })
  })
}

describe('a device that sends too many reports', () => {
  it('is rate limited by number and size for each kind, while nothing is stored in part and other devices are served', async () => {
    const fixture = await accessFixture({ RATE_DEVICE_REPORTS: '1/3' })
    try {
      const { dataDir } = fixture.server.ctx.config
      const [one, other] = [
        await demoPhone(dataDir, fixture.server.url, 'Harriet', { retry: { tries: 1 } }),
        await demoPhone(dataDir, fixture.server.url, 'João', { retry: { tries: 1 } }),
      ]
      await one.authenticate()
      for (const { kind, make, send } of Object.values(CASES)) {
        await send(one, [make(1), make(1), make(1)])
        const problem = await getProblem(send(one, [make(1), make(1)]))
        assert.equal(problem.code, 'too_many_requests')
        assert.ok((problem.retry_after ?? 0) >= 1)
        assert.equal((await send(other, [make(1), make(1), make(1)])).length, 3)
        assert.equal((await fixture.sql(`select from ${kind.list.table}`)).length, 6)
      }
      const third = await demoPhone(dataDir, fixture.server.url, 'Imran', { retry: { tries: 1 } })
      const telemetry = CASES.telemetry?.make(1) as Telemetry
      await third.telemetry([telemetry])
      const installed_applications = Array.from({ length: 200 }, (_, i) => ({
        package_name: `${i}`.repeat(30),
      }))
      const large = { ...telemetry, telemetry_id: id(), installed_applications }
      assert.equal(await getCode(third.telemetry([large])), 'too_many_requests', 'it counts several times')
    } finally {
      await fixture.close()
    }
  })
})
