import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ingestFixture, type IngestFixture } from '../testing/ingest-fixture.ts'
import { type AlertEvent, raiseAlert } from './raise.ts'

let fixture: IngestFixture
before(async () => {
  fixture = await ingestFixture()
})
after(() => fixture.close())

const raise = (change: Partial<AlertEvent>, client_id = fixture.accounts.acme.client_id) =>
  fixture.ctx.db.write(client_id, (tx) =>
    raiseAlert(tx, {
      alert_scopes: ['ops'],
      alert_targets: ['client'],
      alert_key_type: 'Scoped',
      alert_type: 'PayloadAlert',
      alert_key: 'k',
      text: 'notification',
      values: { message: 'message' },
      alert_severity: 'Medium',
      now: 100,
      ...change,
    }),
  )
const alerts = (key: string) =>
  fixture.sql<Record<string, unknown>>(
    'select * from alerts where alert_key = $1 order by client_id, alert_target, alert_scope',
    [key],
  )

const occurrence = (time: number, message: string) => ({
  time,
  message,
  text: { code: 'notification', values: { message } },
})

test('one alert collects its occurrences with the highest severity and restarts after clearing', async () => {
  await raise({ alert_key: 'a', alert_severity: 'Low' })
  await raise({ alert_key: 'a', alert_severity: 'High', now: 200 })
  await raise({ alert_key: 'a', alert_severity: 'Medium', now: 300, values: { message: 'last' } })
  const [alert, ...more] = await alerts('a')
  assert.deepEqual(more, [])
  assert.equal(alert?.alert_severity, 'High')
  assert.deepEqual(alert?.occurrences, [
    occurrence(100, 'message'),
    occurrence(200, 'message'),
    occurrence(300, 'last'),
  ])
  await fixture.sql(`update alerts set alert_state = 'Cleared' where alert_key = 'a'`)
  await raise({ alert_key: 'a', alert_severity: 'Low', now: 400 })
  const [again] = await alerts('a')
  assert.deepEqual([again?.alert_state, again?.alert_severity], ['Triggered', 'Low'])
  assert.equal(again?.alert_reference, alert?.alert_reference)
})

test('an alert counts all occurrences, also simultaneous ones, and keeps the last hundred', async () => {
  for (let i = 0; i < 11; i++)
    await Promise.all(Array.from({ length: 10 }, () => raise({ alert_key: 'b', now: i })))
  const [alert] = await alerts('b')
  assert.equal(Number(alert?.occurrence_count), 110)
  assert.equal((alert?.occurrences as unknown[] | undefined)?.length, 100)
})

test('each scope and each client has an alert of its own', async () => {
  await raise({ alert_key: 'c' })
  await raise({ alert_key: 'c', alert_scopes: ['sec'] })
  await raise({ alert_key: 'c' }, fixture.accounts.globex.client_id)
  assert.equal((await alerts('c')).length, 3)
})

test('each scope and each target has an alert with its own state', async () => {
  const both = { alert_key: 'd', alert_scopes: ['ops', 'sec'], alert_targets: ['client', 'admin'] } as const
  await raise(both)
  await fixture.sql(
    `update alerts set alert_state = 'Cleared' where alert_key = 'd' and alert_target = 'admin'`,
  )
  await raise({ ...both, alert_scopes: ['ops'] })
  assert.deepEqual(
    (await alerts('d')).map((row) => [
      row.alert_target,
      row.alert_scope,
      row.alert_state,
      Number(row.occurrence_count),
    ]),
    [
      ['admin', 'ops', 'Triggered', 2],
      ['admin', 'sec', 'Cleared', 1],
      ['client', 'ops', 'Triggered', 2],
      ['client', 'sec', 'Triggered', 1],
    ],
  )
})

test('each transient event raises a new alert', async () => {
  for (let i = 0; i < 3; i++) await raise({ alert_key: 'e', alert_key_type: 'Transient' })
  const found = await fixture.sql<{ occurrence_count: string }>(
    `select occurrence_count from alerts where alert_key like 'e %'`,
  )
  assert.deepEqual(
    found.map((row) => Number(row.occurrence_count)),
    [1, 1, 1],
  )
})
