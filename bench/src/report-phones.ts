/**
 * Phones that hand over positions and telemetry at a steady pace, in a process of their own, so that they take nothing from whoever measures
 * beside them. The environment says where; a message for how long; the answer is what came of it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { newDek, sealMeta, wrapDek } from '@custodia/envelope'
import { FACTS } from './fill-reports.ts'
import { type BenchPhone, enrol, newReference, send } from './ingest-phones.ts'

/** What a phone hands over at a time. */
const POSITIONS = 40
const REPORTS = 10
const PHONES = 64
/** Items a second: a little more than the bar asks for. */
const PACE = 2200

const { FOLDER = '', PORT } = process.env
const phones = await enrol(FOLDER, Number(PORT), PHONES)
/** A phone uses a key for a day, and so for as long as this runs. */
const DEKS = new Map(
  phones.map((phone) => {
    const dek = newDek()
    return [phone, { dek, encrypted_dek: wrapDek(phone.key.kek, dek) }]
  }),
)
const dekOf = (phone: BenchPhone) => DEKS.get(phone) as { dek: Buffer; encrypted_dek: string }

/** What came of one run. */
export interface Handed {
  /** Items that were stored, a second. */
  per_second: number
  /** Of its calls. */
  p50: number
  p99: number
}

/** For how long they are to report, and to whom instead of the server. */
export interface Order {
  milliseconds: number
  port?: number
}

process.on('message', (order: Order) => {
  void run(order).then((handed) => process.send?.(handed))
})
process.send?.('ready')

async function run({ milliseconds, port }: Order): Promise<Handed> {
  const taken: number[] = []
  let stored = 0
  const started = performance.now()
  const under_way: Promise<void>[] = []
  for (let turn = 0; performance.now() - started < milliseconds; turn++) {
    under_way.push(
      handOver(phones[turn % PHONES] as BenchPhone, port, taken).then((count) => {
        if (performance.now() - started < milliseconds) stored += count
      }),
    )
    const due = started + ((turn + 1) * 1000 * (POSITIONS + REPORTS)) / PACE
    await pause(Math.max(0, due - performance.now()))
  }
  await Promise.all(under_way)
  taken.sort((a, b) => a - b)
  const at = (share: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? 0
  return { per_second: (stored * 1000) / milliseconds, p50: at(0.5), p99: at(0.99) }
}

/** Resolves to how many items were stored. */
async function handOver(phone: BenchPhone, port = phone.port, taken: number[]): Promise<number> {
  const now = Math.floor(Date.now() / 1000)
  const answers: { status: string }[] = []
  for (const [path, body] of [
    ['gps', positionsOf(phone, now)],
    ['telemetry', telemetryOf(phone, now)],
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

function positionsOf(phone: BenchPhone, now: number): object {
  const { client, key_id } = phone.key
  const { dek, encrypted_dek } = dekOf(phone)
  const points = Array.from({ length: POSITIONS }, (_, i) => {
    const named = { gps_reference: newReference(), timestamp: now - i * 60 }
    const position = { ...named, latitude: 51.5, longitude: -0.12, accuracy: 12.5, timezone: 'Europe/London' }
    return { ...named, ...sealMeta(dek, { client, payload_reference: named.gps_reference }, position) }
  })
  return { key_id, encrypted_dek, points }
}

function telemetryOf(phone: BenchPhone, now: number): object {
  const { client, key_id } = phone.key
  const { dek, encrypted_dek } = dekOf(phone)
  const telemetry = Array.from({ length: REPORTS }, (_, i) => {
    const named = { telemetry_id: `${newReference()}-${newReference()}`, telemetry_time: now - i * 900 }
    const report = { ...named, timezone: 'Europe/London', battery_percentage: 50, ...FACTS }
    const identity = { client, payload_reference: named.telemetry_id, kind: 'telemetry' }
    return { ...named, ...sealMeta(dek, identity, report) }
  })
  return { key_id, encrypted_dek, telemetry }
}
