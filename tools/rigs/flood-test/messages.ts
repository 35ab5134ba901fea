import { setTimeout as pause } from 'node:timers/promises'
import { type BenchPhone, deliver, sealMessage, send } from '../../bench/src/ingest-phones.ts'

/** Milliseconds between messages, and between polls. */
const EVERY_MS = 200
const LOOK_MS = 50
/** Seconds after which a message counts as never processed. */
const PATIENCE = 120

/** Waiting times of messages, in seconds. */
export interface Waited {
  name: string
  median: number
  p95: number
  p99: number
}

/** Sends messages in sequence and polls like a device until each is processed. Throws when one times out. */
export async function sendSteadily(phone: BenchPhone, count: number): Promise<Waited[]> {
  const announced: number[] = []
  const acknowledged: number[] = []
  for (let i = 0; i < count; i++) {
    const message = await sealMessage(phone)
    const begun = performance.now()
    await deliver(phone, message)
    const taken = performance.now()
    await untilProcessed(phone, message.announcement.payload_reference)
    const done = performance.now()
    announced.push((done - begun) / 1000)
    acknowledged.push((done - taken) / 1000)
    await pause(EVERY_MS)
  }
  return [waited('acknowledged → processed', acknowledged), waited('announced → processed', announced)]
}

async function untilProcessed(phone: BenchPhone, payload_reference: string): Promise<void> {
  const body = Buffer.from(JSON.stringify({ payload_references: [payload_reference] }))
  for (
    const deadline = performance.now() + PATIENCE * 1000;
    performance.now() < deadline;
    await pause(LOOK_MS)
  ) {
    const answer = await send(phone, 'POST', '/device/v1/payloads/status', body)
    const { payloads } = JSON.parse(answer.toString()) as { payloads: { status: string }[] }
    if (payloads[0]?.status === 'processed') return
    if (payloads[0]?.status === 'failed') throw new Error('a message failed')
  }
  throw new Error(`a message was not processed within ${PATIENCE} s`)
}

function waited(name: string, seconds: number[]): Waited {
  const sorted = seconds.toSorted((a, b) => a - b)
  const at = (share: number) => Number((sorted[Math.ceil(sorted.length * share) - 1] ?? 0).toFixed(3))
  return { name, median: at(0.5), p95: at(0.95), p99: at(0.99) }
}
