import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Options } from './options.ts'
import type { Deliveries, Delivering } from './transfer-deliveries.ts'

const run = promisify(execFile)
const PROGRAM = fileURLToPath(new URL('./transfer-deliveries.ts', import.meta.url))
export const MIB: number = 1 << 20

/** A file that is delivered. */
export interface BenchItem {
  name: string
  file: string
  sha256: string
  size: number
}

/** Lets a process of its own deliver the items. */
export async function deliveries(
  target: Deliveries['target'],
  { settle_milliseconds }: Options,
  job: Omit<Deliveries, 'target' | 'settle_milliseconds'>,
): Promise<Delivering> {
  const working = run(process.execPath, ['--expose-gc', PROGRAM])
  working.child.stdin?.end(JSON.stringify({ ...job, target, settle_milliseconds }))
  return JSON.parse((await working).stdout) as Delivering
}

/** An item that repeats the large file. */
export async function repeated(
  item: BenchItem,
  { transfer_repetitions: times }: Options,
): Promise<BenchItem & { times: number }> {
  const digest = createHash('sha256')
  for (let i = 0; i < times; i++) for await (const piece of createReadStream(item.file)) digest.update(piece)
  return { ...item, sha256: digest.digest('hex'), size: item.size * times, times }
}
