import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { DeviceLog, LogEntry, LogLevel } from '@custodia/contract'
import type { Phone } from '@custodia/device-sdk'
import { ulid } from 'ulid'
import {
  type AccessFixture,
  accessFixture,
  allow,
  codeOf,
  type Person,
  problemOf,
} from '../../testing/access-fixture.ts'
import { demoPhone } from '../../testing/phones.ts'
import { readNewest } from '../../ports/database/newest-first.ts'
import { dropEmptyMonths, makeMonths } from '../../ports/database/partitions.ts'
import { reassignClient } from '../reassign.ts'
import { LOG_TABLE, logsOfLevels } from './log-store.ts'

const DAY = 86_400
const OF_LOGS = ['device_logs:list', 'devices.logs:list', 'users.logs:list', 'devices:read']

describe('device logs', () => {
  let fixture: AccessFixture
  let harriet: Phone
  let joao: Phone
  let reference: string
  let now: number
  before(async () => {
    fixture = await accessFixture()
    harriet = await open('Harriet')
    joao = await open('João')
    reference = (await harriet.authenticate()).device_reference
    await joao.authenticate()
    now = fixture.server.ctx.now()
    for (const group of ['North', 'South'])
      await fixture.giveRole(`${group} desk`, [
        { actions_matching: OF_LOGS, conditions: [{ names_matching: [group] }] },
      ])
  })
  after(() => fixture?.close())

  const open = (name: string, more: object = {}) =>
    demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, name, more)
  const entry = (log_message: string, more: Partial<LogEntry> = {}): LogEntry => ({
    log_id: `${ulid()}-${ulid()}`,
    log_class: 'Uploader',
    log_level: 'INFO',
    log_datetime: now,
    local_timezone: 'Europe/London',
    log_message,
    ...more,
  })
  const readState = async (person: Person, query: object = {}, device_reference = reference) => {
    const answer = await person.api.listLogsOfDevice({ params: { device_reference }, query })
    assert.ok('data' in answer)
    return answer.data
  }
  const messages = (logs: readonly DeviceLog[]) => logs.map(({ log_message }) => log_message)

  it('are stored with their device user and group, and returned as they were sent', async () => {
    const log = entry('First line\nsecond line', { log_level: 'WARN', payload_reference: ulid() })
    assert.deepEqual(await harriet.log([log]), [{ log_id: log.log_id, status: 'stored' }])
    const [row] = await readState(fixture.alice)
    assert.deepEqual(
      { ...row, received_at: 0 },
      {
        ...log,
        client: 'acme',
        device_reference: reference,
        device_user_reference: 'Harriet Cole',
        group: 'North',
        received_at: 0,
      },
    )
  })

  it('are stored once, and a different log with the same id is a conflict', async () => {
    const [one, other] = [entry('Once'), entry('Other')]
    await harriet.log([one])
    assert.deepEqual(
      (await harriet.log([one, other])).map(({ status }) => status),
      ['stored', 'stored'],
    )
    const altered = { ...one, log_message: 'Twice' }
    assert.deepEqual(await harriet.log([altered]), [{ log_id: one.log_id, status: 'conflict' }])
    // The same id on another device is another log, so no device can block another's ids.
    assert.deepEqual(await joao.log([altered]), [{ log_id: one.log_id, status: 'stored' }])
    const all = await readState(fixture.alice)
    assert.equal(messages(all).filter((message) => message === 'Once').length, 1)
    assert.ok(!messages(all).includes('Twice'))
  })

  it('are stored completely when the same batch arrives in parallel', async () => {
    const logs = Array.from({ length: 60 }, (_, i) => entry(`Parallel ${i}`))
    const answers = await Promise.all(Array.from({ length: 5 }, () => harriet.log(logs)))
    assert.ok(answers.flat().every(({ status }) => status === 'stored'))
    const stored = await fixture.sql(`select from device_logs where log_message like 'Parallel %'`)
    assert.equal(stored.length, 60)
  })

  it('report a conflict also when both versions arrive at the same time', async () => {
    const pairs = Array.from({ length: 20 }, (_, i) => {
      const one = entry(`Said ${i}`)
      return [one, { ...one, log_message: `Contradicted ${i}` }] as const
    })
    const answers = await Promise.all(
      pairs.flat().map(async (log) => ({ log, status: (await harriet.log([log]))[0]?.status })),
    )
    const kept = answers.filter(({ status }) => status === 'stored').map(({ log }) => log.log_message)
    assert.equal(answers.filter(({ status }) => status === 'conflict').length, pairs.length)
    const stored = await fixture.sql<{ log_message: string }>(
      'select log_message from device_logs where log_id = any($1)',
      [pairs.map(([{ log_id }]) => log_id)],
    )
    assert.deepEqual(stored.map(({ log_message }) => log_message).toSorted(), kept.toSorted())
  })

  it('are accepted after a week offline and listed page by page without loss', async () => {
    const logs = Array.from({ length: 1000 }, (_, i) =>
      entry(`Queued ${i}`, { log_class: 'Queue', log_datetime: now - 7 * DAY + Math.floor(i / 7) }),
    )
    assert.equal((await harriet.log(logs)).filter(({ status }) => status === 'stored').length, 1000)
    const seen: string[] = []
    for (let last_key: string | undefined; ;) {
      const page = await fixture.alice.api.listDeviceLogs({
        query: { limit: 200, log_class: 'Queue', ...(last_key && { last_key }) },
      })
      assert.ok('data' in page)
      seen.push(...messages(page.data))
      last_key = page.last_key
      if (!last_key) break
    }
    assert.deepEqual(seen.toSorted(), logs.map(({ log_message }) => log_message).toSorted())
    assert.deepEqual(
      await fixture.alice.api.listDeviceLogs({ query: { type: 'total', log_class: 'Queue' } }),
      {
        total: 1000,
      },
    )
  })

  it('belong to the device user who held the device at that time', async () => {
    await fixture.sql(
      `insert into device_history (client_id, device_id, from_at, to_at, device_user_id, group_id)
       select d.client_id, d.device_id, 1000, 2000, u.device_user_id, u.group_id from devices d, device_users u
       where d.device_reference = $1 and u.device_user_reference = 'João Almeida'`,
      [reference],
    )
    await harriet.log([entry('In João’s hands', { log_datetime: 1500 })])
    const south = await fixture.personWith(['South desk'])
    assert.deepEqual(messages(await readState(south)), ['In João’s hands'])
    const north = await fixture.personWith(['North desk'])
    assert.ok(!messages(await readState(north, { limit: 200, from: '1970-01-01', to: '1970-01-02' })).length)
    const ofJoao = await north.api
      .listLogsOfUser({
        params: { device_user_reference: 'João Almeida' },
        query: {},
      })
      .then(
        () => 'found',
        () => 'not_found',
      )
    assert.equal(ofJoao, 'not_found')
    const page = await south.api.listLogsOfUser({
      params: { device_user_reference: 'João Almeida' },
      query: {},
    })
    assert.ok('data' in page && messages(page.data).includes('In João’s hands'))
  })

  it('are hidden from users of other groups or without permission', async () => {
    const stranger = await fixture.personWith(['South desk'])
    const page = await stranger.api.listDeviceLogs({ query: { limit: 200 } })
    assert.ok('data' in page && page.data.every(({ group }) => group === 'South'))
    assert.equal(await codeOf(readState(stranger, {}, 'no such phone')), 'not_found')
    await fixture.giveRole('Nothing', [allow('devices:read')])
    assert.equal(await codeOf(readState(await fixture.personWith(['Nothing']))), 'not_permitted')
  })

  it('are filtered by level, class, time, device, user and payload', async () => {
    const payload_reference = ulid()
    const at = now
    await harriet.log([
      ...(['DEBUG', 'INFO', 'WARN', 'ERROR'] as const satisfies readonly LogLevel[]).map((log_level) =>
        entry(log_level, { log_class: 'Narrow', log_level, log_datetime: at }),
      ),
      entry('About a call', { log_class: 'Narrow', payload_reference, log_datetime: at }),
    ])
    const found = async (query: object) => {
      const page = await fixture.alice.api.listDeviceLogs({ query: { log_class: 'Narrow', ...query } })
      assert.ok('data' in page)
      return messages(page.data).toSorted()
    }
    assert.deepEqual(await found({ levels: ['ERROR', 'WARN'] }), ['ERROR', 'WARN'])
    assert.deepEqual(await found({ payload_reference }), ['About a call'])
    assert.deepEqual(await found({ payload_reference, device_reference: reference }), ['About a call'])
    assert.equal(
      (await found({ device_reference: reference, device_user_reference: 'Harriet Cole' })).length,
      5,
    )
    assert.equal((await found({ device_user_reference: 'João Almeida' })).length, 0)
    assert.equal((await found({ groups: ['South'] })).length, 0)
    assert.equal((await found({ device_reference: 'no such phone' })).length, 0)
    const day = (time: number) => new Date(time * 1000).toISOString().slice(0, 10)
    assert.equal((await found({ from: day(at), to: day(at) })).length, 5)
    assert.equal((await found({ to: day(at - DAY) })).length, 0)
  })

  it('are found by a rare level through an index, page by page without loss', async () => {
    const client_id = await fixture.server.idOf('acme')
    await fixture.sql(
      `insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, log_class, log_level, local_timezone, log_message, received_at)
       select d.client_id, d.device_id, 'many-' || i || '-of-a-phone-that-logs-a-lot', 1000000 + i, d.group_id, 'Rare',
         case when i % 2000 = 7 then 'ERROR' else 'INFO' end, 'UTC', 'Log ' || i, 0 from generate_series(1, 30000) i, devices d
       where d.device_reference = $1`,
      [reference],
    )
    const query = { levels: ['ERROR' as const], log_class: 'Rare', limit: 10 }
    const first = await fixture.alice.api.listDeviceLogs({ query })
    assert.ok('data' in first && first.last_key)
    const rest = await fixture.alice.api.listDeviceLogs({ query: { ...query, last_key: first.last_key } })
    assert.ok('data' in rest)
    assert.deepEqual(
      messages([...first.data, ...rest.data]),
      Array.from({ length: 15 }, (_, i) => `Log ${(14 - i) * 2000 + 7}`),
    )
    await fixture.sql('analyze device_logs')
    const plans: unknown[] = []
    await fixture.server.ctx.db.read(client_id, (q) => {
      const explained = async (text: string, values: unknown[]) => {
        plans.push((await q.query<object>(`explain ${text}`, values)).rows)
        return q.query<never>(text, values)
      }
      const { of, walked } = logsOfLevels(['ERROR'])
      const wanted = { from: 0, to: 2_000_000, walked, conditions: [] }
      return readNewest(
        Object.assign(Object.create(q), { query: explained }) as typeof q,
        of,
        wanted,
        10,
        undefined,
      )
    })
    assert.match(JSON.stringify(plans), /log_level_log_datetime/, 'by the index of its partition')
    await fixture.sql(`delete from device_logs where log_class = 'Rare'`)
  })

  it('are rejected as a whole when one entry is invalid, with the path of the fault', async () => {
    const good = entry('Good')
    for (const [bad, path] of [
      [{ ...good, log_id: 'short' }, 'logs.0.log_id'],
      [{ ...good, log_level: 'FATAL' }, 'logs.0.log_level'],
      [{ ...good, log_message: '' }, 'logs.0.log_message'],
    ] as const) {
      const problem = await problemOf(harriet.log([bad as LogEntry]))
      assert.deepEqual([problem.code, problem.faults[0]?.path], ['invalid_input', path])
    }
    assert.equal(await codeOf(harriet.log([good, good])), 'invalid_input', 'twice in one call')
  })

  it('are reassigned when a waiting device is confirmed', async () => {
    // Two devices are expected.
    await (await open('Harriet', { spare: 1 })).authenticate()
    const third = await open('Harriet', { spare: 2 })
    const { device_reference } = await third.authenticate()
    await third.log([entry('While it waited')])
    const north = await fixture.personWith(['North desk'])
    assert.equal(await codeOf(readState(north, {}, device_reference)), 'not_found')
    await fixture.alice.api.confirmDeviceHolder({
      params: { device_reference },
      query: {},
      body: { decision: 'confirm' },
    })
    await reassignClient(
      fixture.server.ctx,
      await fixture.server.idOf('acme'),
      new AbortController().signal,
      1,
    )
    const [log] = await readState(north, {}, device_reference)
    assert.deepEqual(
      [log?.log_message, log?.group, log?.device_user_reference],
      ['While it waited', 'North', 'Harriet Cole'],
    )
  })

  it('are stored in monthly partitions, which are dropped when they are over and empty', async () => {
    const { db } = fixture.server.ctx
    const { signal } = new AbortController()
    const year = 2000 * DAY * 365
    // Far in the future, where no other test uses partitions.
    const begin = Date.UTC(2090, 5, 1) / 1000
    await makeMonths(db, LOG_TABLE, begin, signal)
    await harriet.log([entry('Far', { log_datetime: begin + 5 * DAY })])
    const partitions = async () =>
      (
        await fixture.sql<{ name: string }>(
          `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'device_logs'::regclass order by 1`,
        )
      ).map(({ name }) => name)
    const [stored] = await fixture.sql<{ name: string }>(
      `select tableoid::regclass::text as name from device_logs where log_message = 'Far'`,
    )
    assert.equal(stored?.name, 'device_logs_2090_06')
    await dropEmptyMonths(db, LOG_TABLE, begin - year, signal)
    assert.ok((await partitions()).includes('device_logs_2090_07'), 'the month has not ended')
    await dropEmptyMonths(db, LOG_TABLE, Date.UTC(2091, 0, 1) / 1000, signal)
    const left = await partitions()
    assert.ok(left.includes('device_logs_2090_06') && !left.includes('device_logs_2090_07'))
    await fixture.sql(`delete from device_logs where log_message = 'Far'`)
    await dropEmptyMonths(db, LOG_TABLE, Date.UTC(2091, 0, 1) / 1000, signal)
    assert.ok(!(await partitions()).includes('device_logs_2090_06'))
  })

  it('move from the default partition when the partition of their future month is created', async () => {
    const { db } = fixture.server.ctx
    const begin = Date.UTC(2095, 2, 1) / 1000
    await harriet.log([entry('Ahead', { log_datetime: begin + 5 * DAY })])
    const lies = () =>
      fixture.sql<{ name: string; log_message: string }>(
        `select tableoid::regclass::text as name, log_message from device_logs where log_datetime >= $1`,
        [begin],
      )
    assert.deepEqual(await lies(), [{ name: 'device_logs_default', log_message: 'Ahead' }])
    await makeMonths(db, LOG_TABLE, begin, new AbortController().signal)
    assert.deepEqual(await lies(), [{ name: 'device_logs_2095_03', log_message: 'Ahead' }])
    assert.ok(messages(await readState(fixture.alice)).includes('Ahead'))
    // A future log does not lead the list of all devices, and is not lost there.
    const ofAll = async (query: object) => {
      const answer = await fixture.alice.api.listDeviceLogs({ query })
      assert.ok('data' in answer)
      return messages(answer.data)
    }
    assert.ok(!(await ofAll({})).includes('Ahead'))
    for (const query of [{ to: '2096-01-01' }, { from: '2095-01-01' }, { device_reference: reference }])
      assert.ok((await ofAll(query)).includes('Ahead'), JSON.stringify(query))
    await fixture.sql(`delete from device_logs where log_message = 'Ahead'`)
  })

  it('cannot be altered, deleted or read directly from a partition', async () => {
    const { db } = fixture.server.ctx
    const client_id = await fixture.server.idOf('acme')
    for (const sql of [
      'select from device_logs_default',
      'delete from device_logs_default',
      `update device_logs set log_message = 'x'`,
    ])
      await assert.rejects(
        db.write(client_id, (tx) => tx.query(sql)),
        /permission denied/,
      )
  })

  it('a device alert raises an alert and counts each alert id once', async () => {
    const alert = {
      subject: 'Microphone blocked',
      message: 'Another app holds it',
      severity: 'High',
    } as const
    const alert_id = `${ulid()}-${ulid()}`
    await harriet.alert({ ...alert, alert_id })
    await harriet.alert({ ...alert, alert_id })
    await harriet.alert({ ...alert, alert_id: `${ulid()}-${ulid()}` })
    const raised = await fixture.sql<Record<string, unknown>>(
      `select alert_type, alert_scope, alert_subject, alert_message, alert_severity, occurrence_count from alerts where alert_type = 'AndroidAlert'`,
    )
    assert.deepEqual(raised, [
      {
        alert_type: 'AndroidAlert',
        alert_scope: 'ops',
        alert_subject: 'Microphone blocked',
        alert_message: `Device ${reference} reports: Another app holds it`,
        alert_severity: 'High',
        occurrence_count: 2,
      },
    ])
    await joao.alert({ ...alert, severity: 'Low' })
    await joao.alert({ ...alert, severity: 'Low' })
    const [ofJoao] = await fixture.sql<{ occurrence_count: number }>(
      `select occurrence_count from alerts where alert_type = 'AndroidAlert' and alert_severity = 'Low'`,
    )
    assert.equal(ofJoao?.occurrence_count, 1, 'without an id the text identifies repeats')
  })
})

describe('a device that sends too many logs', () => {
  it('is rate limited, while nothing is stored in part and other devices are served', async () => {
    const fixture = await accessFixture({ RATE_DEVICE_REPORTS: '1/3' })
    try {
      const { dataDir } = fixture.server.ctx.config
      const [one, other] = [
        await demoPhone(dataDir, fixture.server.url, 'Harriet', { retry: { tries: 1 } }),
        await demoPhone(dataDir, fixture.server.url, 'João', { retry: { tries: 1 } }),
      ]
      await one.authenticate()
      const log = (i: number): LogEntry => ({
        log_id: `${ulid()}-${ulid()}`,
        log_class: 'x',
        log_level: 'INFO',
        log_datetime: 1,
        local_timezone: 'UTC',
        log_message: String(i),
      })
      await one.log([log(1), log(2), log(3)])
      const problem = await problemOf(one.log([log(4), log(5)]))
      assert.equal(problem.code, 'too_many_requests')
      assert.ok((problem.retry_after ?? 0) >= 1)
      assert.equal((await other.log([log(1), log(2), log(3)])).length, 3)
      const stored = await fixture.sql('select from device_logs')
      assert.equal(stored.length, 6, 'the refused call stored nothing')
    } finally {
      await fixture.close()
    }
  })
})
