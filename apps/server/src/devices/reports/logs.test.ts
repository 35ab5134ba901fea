import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { DeviceLog, LogEntry, LogLevel } from '@custodia/contract'
import { ulid } from 'ulid'
import { readByTime } from '../../ports/database/time-ordered.ts'
import { getCode, type Person, reportsFixture, getProblem, getRows } from '../../testing/access-fixture.ts'
import { ofIndexedFilter } from './logs.ts'
import { LOGS } from './store.ts'

const DAY = 86_400
const OF_LOGS = ['device_logs:list', 'devices.logs:list', 'users.logs:list', 'devices:read']

const fixture = await reportsFixture(OF_LOGS)
after(() => fixture.close())
const { harriet, joao, reference, now } = fixture

describe('device logs', () => {
  const entry = (log_message: string, more: Partial<LogEntry> = {}): LogEntry => ({
    log_id: `${ulid()}-${ulid()}`,
    log_class: 'Uploader',
    log_level: 'INFO',
    log_datetime: now,
    local_timezone: 'Europe/London',
    log_message,
    ...more,
  })
  const readState = (person: Person, query: object = {}, device_reference = reference) =>
    getRows(person.api.listLogsOfDevice({ params: { device_reference }, query }))
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
        device_name: 'Harriet Cole · Pretend 1',
        device_user_reference: 'Harriet Cole',
        person_name: 'Harriet Cole',
        group: 'North',
        received_at: 0,
      },
    )
  })

  it('of other groups do not show by the end of a search that a device or person exists', async () => {
    const device_reference = fixture.ofJoao
    await fixture.server.ctx.db.owner.query(
      `insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, device_user_id, log_class, log_level, local_timezone, log_message, received_at)
       select client_id, device_id, 'many ' || n, $1::bigint - n, group_id, device_user_id, 'Many', 'INFO', 'UTC', '', $1
       from devices cross join generate_series(1, 82000) n where device_reference = $2`,
      [now, device_reference],
    )
    const { api } = await fixture.personWith(['North desk'])
    for (const about of [{ device_reference }, { device_user_reference: 'João Almeida' }]) {
      assert.deepEqual(await api.listDeviceLogs({ query: about }), { count: 0, data: [] })
      assert.deepEqual(await api.listDeviceLogs({ query: { ...about, type: 'total' } }), { total: 0 })
    }
    const listed = api.listLogsOfDevice({ params: { device_reference }, query: {} })
    assert.equal(await getCode(listed), 'not_found')
    await fixture.server.ctx.db.owner.query(`delete from device_logs where log_class = 'Many'`)
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
      return messages(page.data).toSorted()
    }
    assert.deepEqual(await found({ levels: ['ERROR', 'WARN'] }), ['ERROR', 'WARN'])
    assert.deepEqual(await found({ payload_reference }), ['About a call'])
    assert.deepEqual(await found({ search: 'aBOUT a' }), ['About a call'])
    assert.deepEqual(await found({ search: '%' }), [])
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

  it('are found by a rare level or a class through an index, page by page without loss', async () => {
    const client_id = await fixture.server.getId('acme')
    await fixture.sql(
      `insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, log_class, log_level, local_timezone, log_message, received_at)
       select d.client_id, d.device_id, 'many-' || i || '-of-a-phone-that-logs-a-lot', 1000000 + i, d.group_id, 'Rare',
         case when i % 2000 = 7 then 'ERROR' else 'INFO' end, 'UTC', 'Log ' || i, 0 from generate_series(1, 30000) i, devices d
       where d.device_reference = $1`,
      [reference],
    )
    const query = { levels: ['ERROR' as const], log_class: 'Rare', limit: 10 }
    const first = await fixture.alice.api.listDeviceLogs({ query })
    assert.ok(first.last_key)
    const rest = await fixture.alice.api.listDeviceLogs({ query: { ...query, last_key: first.last_key } })
    assert.deepEqual(
      messages([...first.data, ...rest.data]),
      Array.from({ length: 15 }, (_, i) => `Log ${(14 - i) * 2000 + 7}`),
    )
    await fixture.sql('analyze device_logs')
    const plans: unknown[] = []
    await fixture.server.ctx.db.read(client_id, async (q) => {
      const explained = async (text: string, values: unknown[]) => {
        plans.push((await q.query<object>(`explain ${text}`, values)).rows)
        return q.query<never>(text, values)
      }
      const explaining = Object.assign(Object.create(q), { query: explained }) as typeof q
      for (const isOldestFirst of [false, true])
        for (const filter of [{ levels: ['ERROR' as const] }, { log_class: 'Unknown' }, {}]) {
          const { of = LOGS.list, walked } = ofIndexedFilter(filter)
          const wanted = { from: 0, to: 2_000_000, isOldestFirst, walked, conditions: [] }
          await readByTime(explaining, of, wanted, 10, undefined)
        }
    })
    // The indexes of the partition, in both directions.
    const indexes = [/log_level_log_datetime/, /log_class_log_datetime/, /client_id_log_datetime/]
    for (const [i, plan] of plans.entries()) {
      assert.match(JSON.stringify(plan), indexes[i % 3] ?? /^$/)
      assert.doesNotMatch(JSON.stringify(plan), /Seq Scan on device_logs/)
    }
    await fixture.sql(`delete from device_logs where log_class = 'Rare'`)
  })

  it('are rejected as a whole when one entry is invalid, with the path of the fault', async () => {
    const good = entry('Good')
    for (const [bad, path] of [
      [{ ...good, log_id: 'short' }, 'logs.0.log_id'],
      [{ ...good, log_level: 'FATAL' }, 'logs.0.log_level'],
      [{ ...good, log_message: '' }, 'logs.0.log_message'],
    ] as const) {
      const problem = await getProblem(harriet.log([bad as LogEntry]))
      assert.deepEqual([problem.code, problem.faults[0]?.path], ['invalid_input', path])
    }
    assert.equal(await getCode(harriet.log([good, good])), 'invalid_input', 'twice in one call')
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
