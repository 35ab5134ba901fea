import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ingestWorld, type IngestWorld } from '../payloads/ingest-world.test-support.ts'
import { type AlertEvent, raiseAlert } from './raise.ts'

let world: IngestWorld
before(async () => {
  world = await ingestWorld()
})
after(() => world.close())

const raise = (change: Partial<AlertEvent>, client_id = world.accounts.acme.client_id) =>
  world.house.db.write(client_id, (tx) =>
    raiseAlert(tx, {
      client_id,
      alert_scope: 'ops',
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
  world.rows<Record<string, unknown>>('select * from alerts where alert_key = $1 order by client_id', [key])

const occurrence = (time: number, message: string) => ({
  time,
  message,
  text: { code: 'notification', values: { message } },
})

test('occurrences gather in one alert, the severity is the highest, and clearing starts over', async () => {
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
  await world.rows(`update alerts set alert_state = 'Cleared' where alert_key = 'a'`)
  await raise({ alert_key: 'a', alert_severity: 'Low', now: 400 })
  const [again] = await alerts('a')
  assert.deepEqual([again?.alert_state, again?.alert_severity], ['Triggered', 'Low'])
  assert.equal(again?.alert_reference, alert?.alert_reference)
})

test('the last hundred occurrences are kept, all are counted, also those of the same moment', async () => {
  for (let i = 0; i < 11; i++)
    await Promise.all(Array.from({ length: 10 }, () => raise({ alert_key: 'b', now: i })))
  const [alert] = await alerts('b')
  assert.equal(Number(alert?.occurrence_count), 110)
  assert.equal((alert?.occurrences as unknown[] | undefined)?.length, 100)
})

test('another scope or client has an alert of its own', async () => {
  await raise({ alert_key: 'c' })
  await raise({ alert_key: 'c', alert_scope: 'sec' })
  await raise({ alert_key: 'c' }, world.accounts.globex.client_id)
  assert.equal((await alerts('c')).length, 3)
})
