import { readFileSync } from 'node:fs'
import { request } from 'node:http'
/**
 * One client floods the real server with hours of audio, announcements and slow uploads, while a device of another client
 * sends messages:
 *
 *     node tools/rigs/flood-test.ts [--messages 100] [--hours 4] [--announcements 10000] [--open 2000] [--bar 2]
 *
 * Prints the waiting times of the messages. Exits with 1 when the 99th percentile exceeds `bar` seconds.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ROOT } from '../../scripts/run.ts'
import {
  type BenchPhone,
  deliver,
  enrol,
  newReference,
  sealMessage,
  send,
} from '../bench/src/ingest-phones.ts'
import { withServer } from './server-process.ts'

/** Announcements per call. */
const BATCH = 100
/** Claimed bytes of an upload, and milliseconds between two sent bytes. */
const CLAIMED = 100_000
const TRICKLE_MS = 5000
/** Bytes of an hour of AMR at 12.2 kbit/s. */
const HOUR = 3600 * 50 * 32

/** Sends one-hour recordings in sequence: the server needs minutes to convert each. */
async function sendHours(phone: BenchPhone, count: number): Promise<void> {
  const call = readFileSync(join(ROOT, 'tools/simulator/media/calls/en-limit-order.amr'))
  const speech = call.subarray(6)
  const hour = Buffer.concat([call, ...Array.from({ length: Math.ceil(HOUR / speech.length) }, () => speech)])
  for (let i = 0; i < count; i++) await deliver(phone, await sealMessage(phone, { video: hour }))
}

/** Announces payloads that are never sent, without a pause; resolves to their number. */
async function announceMany(phone: BenchPhone, count: number): Promise<number> {
  let taken = 0
  while (taken < count) taken += (await announce(phone, Math.min(BATCH, count - taken))).length
  return taken
}

/** Starts uploads that send a byte from time to time; resolves to the number of open ones. */
async function trickle(phone: BenchPhone, count: number, signal: AbortSignal): Promise<number> {
  let open = 0
  while (open < count) {
    const urls = await announce(phone, Math.min(BATCH, count - open))
    open += urls.length
    for (const url of urls) trickleInto(url, signal)
  }
  return open
}

function trickleInto(url: string, signal: AbortSignal): void {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': CLAIMED }
  const upload = request(url, { method: 'PUT', headers, agent: false, signal })
  const timer = setInterval(() => upload.write('x'), TRICKLE_MS)
  // The server may cut the connection.
  upload.on('error', () => clearInterval(timer))
  upload.on('close', () => clearInterval(timer))
  upload.write('x')
}

async function announce(phone: BenchPhone, count: number): Promise<string[]> {
  const { announcement } = await sealMessage(phone)
  const payloads = Array.from({ length: count }, () => ({
    ...announcement,
    payload_reference: newReference(),
    size: CLAIMED,
  }))
  const answer = await send(phone, 'POST', '/device/v1/payloads', Buffer.from(JSON.stringify({ payloads })))
  const { payloads: taken } = JSON.parse(answer.toString()) as { payloads: { upload_url?: string }[] }
  const urls = taken.flatMap(({ upload_url }) => upload_url ?? [])
  if (urls.length < count) throw new Error(`only ${urls.length} of ${count} announcements were taken`)
  return urls
}

/** Milliseconds between messages, and between polls. */
const EVERY_MS = 200
const LOOK_MS = 50
/** Seconds after which a message counts as never processed. */
const PATIENCE = 120

/** Waiting times of messages, in seconds. */
interface WaitingTimes {
  name: string
  median: number
  p95: number
  p99: number
}

/** Sends messages in sequence and polls like a device until each is processed. Throws when one times out. */
async function sendSteadily(phone: BenchPhone, count: number): Promise<WaitingTimes[]> {
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

function waited(name: string, seconds: number[]): WaitingTimes {
  const sorted = seconds.toSorted((a, b) => a - b)
  const at = (share: number) => Number((sorted[Math.ceil(sorted.length * share) - 1] ?? 0).toFixed(3))
  return { name, median: at(0.5), p95: at(0.95), p99: at(0.99) }
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '100' },
      hours: { type: 'string', default: '4' },
      announcements: { type: 'string', default: '10000' },
      open: { type: 'string', default: '2000' },
      bar: { type: 'string', default: '2' },
    },
  })
  return withServer({ DEMO: 'true' }, async (server, dataDir) => {
    const port = Number(new URL(server.url).port)
    const [flooding, calm] = await enrol(dataDir, port, 2)
    if (!flooding || !calm || flooding.key.client === calm.key.client)
      throw new Error('the demo has no two clients')
    // One-time loading does not count.
    await sendSteadily(calm, 3)
    await sendHours(flooding, Number(values.hours))
    const ending = new AbortController()
    const open = await trickle(flooding, Number(values.open), ending.signal)
    console.log(`${values.hours} recordings of an hour are sent, ${open} uploads are open`)
    const flood = announceMany(flooding, Number(values.announcements))
    const waited = await sendSteadily(calm, Number(values.messages))
    console.log(`${await flood} announcements were taken`)
    ending.abort()
    console.table(Object.fromEntries(waited.map(({ name, ...seconds }) => [name, seconds])))
    return waited.every(({ p99 }) => p99 <= Number(values.bar))
  })
}

main().then(
  (isKept) => process.exit(isKept ? 0 : 1),
  (error: unknown) => {
    console.error(error)
    process.exit(1)
  },
)
