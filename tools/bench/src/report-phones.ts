/**
 * Phones that upload positions and telemetry at a steady pace, in a process of their own, so that they take no time from the measuring
 * process. The environment names the server. A message starts a run, and the response holds its results.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { newDek, sealMeta, wrapDek } from '@custodia/envelope'
import { FACTS } from './fill-reports.ts'
import { type BenchPhone, enrol, newReference, send } from './ingest-phones.ts'
import { quantile } from './load.ts'

/** Items of one request. */
const POSITIONS = 40
const REPORTS = 10
/** Items a second. */
const LIST_EFFORT = 2200

const { FOLDER = '', PORT, PHONES } = process.env
const phones = await enrol(FOLDER, Number(PORT), Number(PHONES))
/** A phone uses a key for a day, which is longer than a run. */
const DEKS = new Map(
  phones.map((phone) => {
    const dek = newDek()
    return [phone, { dek, encrypted_dek: wrapDek(phone.key.kek, dek) }]
  }),
)
const getDek = (phone: BenchPhone) => DEKS.get(phone) as { dek: Buffer; encrypted_dek: string }

/** The results of one run. */
export interface Uploads {
  /** Stored items. */
  per_second: number
  /** Milliseconds of a request. */
  p50: number
  p99: number
}

/** The duration of a run, and the port of another program than the server. */
export interface Order {
  milliseconds: number
  port?: number
}

process.on('message', (order: Order) => {
  void run(order).then((uploads) => process.send?.(uploads))
})
process.send?.('ready')

async function run({ milliseconds, port }: Order): Promise<Uploads> {
  const taken: number[] = []
  let stored = 0
  const started = performance.now()
  const under_way: Promise<void>[] = []
  for (let turn = 0; turn === 0 || performance.now() - started < milliseconds; turn++) {
    under_way.push(
      upload(phones[turn % phones.length] as BenchPhone, port, taken).then((count) => {
        if (performance.now() - started < milliseconds) stored += count
      }),
    )
    const due = started + ((turn + 1) * 1000 * (POSITIONS + REPORTS)) / LIST_EFFORT
    await pause(Math.max(0, due - performance.now()))
  }
  await Promise.all(under_way)
  const per_second = (stored * 1000) / milliseconds
  return { per_second, p50: quantile(taken, 0.5), p99: quantile(taken, 0.99) }
}

/** Resolves to the number of stored items. */
async function upload(phone: BenchPhone, port = phone.port, taken: number[]): Promise<number> {
  const now = Math.floor(Date.now() / 1000)
  const answers: { status: string }[] = []
  for (const [path, body] of [
    ['gps', getPositions(phone, now)],
    ['telemetry', getTelemetry(phone, now)],
  ] as const) {
    const at = performance.now()
    const answer = await send(
      { ...phone, port },
      'POST',
      `/device/v1/${path}`,
      Buffer.from(JSON.stringify(body)),
    )
    taken.push(performance.now() - at)
    answers.push(...(Object.values(JSON.parse(answer.toString()) as Record<string, typeof answers>)[0] ?? []))
  }
  return answers.filter(({ status }) => status === 'stored').length
}

function getPositions(phone: BenchPhone, now: number): object {
  const { client, key_id } = phone.key
  const { dek, encrypted_dek } = getDek(phone)
  const points = Array.from({ length: POSITIONS }, (_, i) => {
    const named = { gps_reference: newReference(), timestamp: now - i * 60 }
    const position = { ...named, latitude: 51.5, longitude: -0.12, accuracy: 12.5, timezone: 'Europe/London' }
    const identity = { client, payload_reference: named.gps_reference, kind: 'position' }
    return { ...named, ...sealMeta(dek, identity, position) }
  })
  return { key_id, encrypted_dek, points }
}

function getTelemetry(phone: BenchPhone, now: number): object {
  const { client, key_id } = phone.key
  const { dek, encrypted_dek } = getDek(phone)
  const telemetry = Array.from({ length: REPORTS }, (_, i) => {
    const named = { telemetry_id: `${newReference()}-${newReference()}`, telemetry_time: now - i * 900 }
    const report = { ...named, timezone: 'Europe/London', battery_percentage: 50, ...FACTS }
    const identity = { client, payload_reference: named.telemetry_id, kind: 'telemetry' }
    return { ...named, ...sealMeta(dek, identity, report) }
  })
  return { key_id, encrypted_dek, telemetry }
}
