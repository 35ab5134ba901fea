import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { seeded } from '../testing/require-part.ts'
import { testContext } from '../testing/test-context.ts'
import { noteActivityBaselines, USUAL_GAP } from './activity-baseline-store.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** A Monday, midnight. */
const MONDAY = 1_760_918_400

const devices: number[] = []
const fixture = await testContext()
after(() => fixture.close())
const [client] = await fixture.sql<{ client_id: number }>(
  `insert into clients (client, client_name, account_key, created_at) values ('acme', 'Acme', '', 0) returning client_id`,
)
const client_id = client?.client_id ?? 0
await fixture.sql(
  `insert into groups (client_id, group_reference, updated_at, updated_by) values ($1, 'North', 0, 'test')`,
  [client_id],
)
const made = await fixture.sql<{ device_id: number }>(
  `insert into devices (client_id, device_reference, group_id, activated_at, updated_at, updated_by)
   select $1, 'phone ' || i, group_id, 0, 0, 'test' from groups, generate_series(1, 8) i returning device_id`,
  [client_id],
)
devices.push(...made.map(({ device_id }) => device_id))

const note = (payloads: { device_id: number; payload_time: number }[]) =>
  fixture.context.db.write(client_id, (tx) => noteActivityBaselines(tx, payloads))

async function getBaseline(device_id: number): Promise<{ last_payload_at: number; usual: number }> {
  const [row] = await fixture.sql<{ last_payload_at: number; usual: number }>(
    `select last_payload_at, ${USUAL_GAP} as usual from device_baselines r where device_id = $1`,
    [device_id],
  )
  assert.ok(row)
  return row
}

/** Reference implementation: one recording after another, by the textbook formula. */
function oracle(times: readonly number[]): { last_payload_at: number; usual: number } {
  let last = times[0] as number
  let [gaps, squares] = [7 * DAY, (7 * DAY) ** 2 / 3]
  for (const time of times.slice(1)) {
    if (time <= last) continue
    const gap = Math.min(30 * DAY, time - last)
    const rest = Math.exp((last - time) / (30 * DAY))
    gaps = gaps * rest + gap
    squares = squares * rest + gap * gap
    last = time
  }
  return { last_payload_at: last, usual: squares / gaps }
}

const isNear = (found: number, wanted: number) => Math.abs(found - wanted) <= wanted * 1e-9

test('the usual gap of a device is the same for any batching of its payloads', async () => {
  const r = seeded(5)
  const times = new Map(devices.slice(0, 4).map((device_id) => [device_id, [] as number[]]))
  let at = MONDAY
  let batch: { device_id: number; payload_time: number }[] = []
  for (let i = 0; i < 150; i++) {
    at += Math.floor(r() ** 4 * 3 * DAY) + 1
    const device_id = devices[Math.floor(r() * 4)] as number
    batch.push({ device_id, payload_time: at })
    times.get(device_id)?.push(at)
    if (r() < 0.2) {
      await note(batch.toSorted(() => r() - 0.5))
      batch = []
    }
  }
  await note(batch)
  for (const [device_id, all] of times) {
    const [found, wanted] = [await getBaseline(device_id), oracle(all)]
    assert.equal(found.last_payload_at, wanted.last_payload_at)
    assert.ok(isNear(found.usual, wanted.usual), `${found.usual} is not ${wanted.usual}`)
  }
})

test('the usual gap covers office nights and weekends and ignores late payloads', async () => {
  const device_id = devices[4] as number
  for (let day = 0; day < 56; day++) {
    if (day % 7 >= 5) continue
    const times = Array.from({ length: 9 }, (_, i) => MONDAY + day * DAY + (9 + i) * HOUR)
    await note(times.map((payload_time) => ({ device_id, payload_time })))
  }
  const before = await getBaseline(device_id)
  assert.ok(3 * before.usual > 64 * HOUR, 'longer than a weekend')
  assert.ok(3 * before.usual < 5 * DAY, 'a week without payloads is detected')
  await note([{ device_id, payload_time: MONDAY }])
  assert.deepEqual(await getBaseline(device_id), before, 'late')
  const other = devices[5] as number
  await note([{ device_id: other, payload_time: 5 }])
  await note([{ device_id: other, payload_time: MONDAY }])
  assert.ok((await getBaseline(other)).usual <= 30 * DAY, 'a clock that starts in 1970')
})
