import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeEgress } from '../../../apps/server/src/ports/egress/guard.ts'
import { wrapped } from '../../../apps/server/src/ports/targets/formats/wrap.ts'
import type { DeliveryFormat, S3Target, SftpTarget } from '../../../apps/server/src/ports/targets/port.ts'
import { releaseAfterUse } from '../../../apps/server/src/ports/targets/release-after-use.ts'
import { s3Session } from '../../../apps/server/src/ports/targets/s3.ts'
import { sftpSession } from '../../../apps/server/src/ports/targets/sftp.ts'

/** The input of a process of its own, so that its time and memory are those of deliveries alone. */
export interface Deliveries {
  /** `deliver`: as runs do. `wrap`: puts the items into their format, and sends them nowhere. */
  how: 'deliver' | 'wrap'
  target: SftpTarget | S3Target
  items: { file: string; path: string; sha256: string; size: number; times?: number }[]
  format: DeliveryFormat
  settle_milliseconds: number
}

/** The output of the process. */
export interface DeliveryCost {
  seconds: number
  /** Of the processor, in all threads. */
  cpu: number
  /** The most bytes of memory above those before the first byte. */
  above_idle: number
}

const { how, target, items, format, settle_milliseconds }: Deliveries = JSON.parse(await text(process.stdin))
const getItem = ({ file, path, sha256, size, times = 1 }: Deliveries['items'][number]) => ({
  path,
  sha256,
  size,
  format,
  async *open() {
    for (let i = 0; i < times; i++) yield* releaseAfterUse(read(file, size / times))
  },
})

/** Chunk size of opened objects. */
async function* read(file: string, size: number): AsyncGenerator<Buffer> {
  const handle = await open(file)
  for (let at = 0; at < size;) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(Math.min(1 << 18, size - at)))
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
  await handle.close()
}

/** Does the work for all items, so many at the same time. */
async function all(
  work: (item: ReturnType<typeof getItem>) => Promise<unknown>,
  side_by_side: number,
): Promise<void> {
  const waiting = items.map(getItem)
  const one = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: side_by_side }, one))
}

async function deliver(): Promise<void> {
  const allow = target.kind === 'S3' ? (target.endpoint ?? '') : `sftp://${target.host}:${target.port}`
  const egress = makeEgress({ allow: [allow] })
  const session = target.kind === 'S3' ? await s3Session(target, egress) : await sftpSession(target, egress)
  await all((item) => session.deliver(item), session.side_by_side)
  await session.close()
}

const wrap = () =>
  all(async (item) => {
    for await (const piece of wrapped(item)) void piece
  }, 1)

// The loaded modules settle first.
await sleep(settle_milliseconds)
globalThis.gc?.()
const idle = process.memoryUsage.rss()
let most = idle
const watch = setInterval(() => void (most = Math.max(most, process.memoryUsage.rss())), 20)
const started = performance.now()
const before = process.cpuUsage()
await { deliver, wrap }[how]()
const seconds = (performance.now() - started) / 1000
const { user, system } = process.cpuUsage(before)
clearInterval(watch)
const answer: DeliveryCost = { seconds, cpu: (user + system) / 1e6, above_idle: most - idle }
console.log(JSON.stringify(answer))
// The process does not wait for the rest of a connection.
process.exit(0)
