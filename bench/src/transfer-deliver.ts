import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Deliveries, Delivering } from './transfer-deliveries.ts'

const run = promisify(execFile)
const PROGRAM = fileURLToPath(new URL('./transfer-deliveries.ts', import.meta.url))
export const MIB: number = 1 << 20
/** Times that the large file stands in the item whose memory is measured: 2 GiB. */
const TIMES = 4

/** A file that is delivered. */
export interface BenchItem {
  name: string
  file: string
  sha256: string
  size: number
}

/** Has a process of its own deliver them. */
export async function deliveries(
  target: Deliveries['target'],
  job: Omit<Deliveries, 'target'>,
): Promise<Delivering> {
  const working = run(process.execPath, ['--expose-gc', PROGRAM])
  working.child.stdin?.end(JSON.stringify({ ...job, target }))
  return JSON.parse((await working).stdout) as Delivering
}

/** An item of 2 GiB, of the large file. */
export async function manyTimes(item: BenchItem): Promise<BenchItem & { times: number }> {
  const digest = createHash('sha256')
  for (let i = 0; i < TIMES; i++) for await (const piece of createReadStream(item.file)) digest.update(piece)
  return { ...item, sha256: digest.digest('hex'), size: item.size * TIMES, times: TIMES }
}
