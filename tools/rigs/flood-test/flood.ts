import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { type BenchPhone, deliver, newReference, sealMessage, send } from '../../bench/src/ingest-phones.ts'
import { ROOT } from '../../../scripts/run.ts'

/** Announcements per call. */
const BATCH = 100
/** Claimed bytes of an upload, and milliseconds between two sent bytes. */
const CLAIMED = 100_000
const TRICKLE_MS = 5000
/** Bytes of an hour of AMR at 12.2 kbit/s. */
const HOUR = 3600 * 50 * 32

/** Sends one-hour recordings in sequence: the server needs minutes to convert each. */
export async function sendHours(phone: BenchPhone, count: number): Promise<void> {
  const call = readFileSync(join(ROOT, 'tools/simulator/media/calls/en-limit-order.amr'))
  const speech = call.subarray(6)
  const hour = Buffer.concat([call, ...Array.from({ length: Math.ceil(HOUR / speech.length) }, () => speech)])
  for (let i = 0; i < count; i++) await deliver(phone, await sealMessage(phone, { video: hour }))
}

/** Announces payloads that are never sent, without a pause; resolves to their number. */
export async function announceMany(phone: BenchPhone, count: number): Promise<number> {
  let taken = 0
  while (taken < count) taken += (await announce(phone, Math.min(BATCH, count - taken))).length
  return taken
}

/** Starts uploads that send a byte from time to time; resolves to the number of open ones. */
export async function trickle(phone: BenchPhone, count: number, signal: AbortSignal): Promise<number> {
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
