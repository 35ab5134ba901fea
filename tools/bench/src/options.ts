import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SHORT_LIVED } from '../../../e2e/chromium.ts'
import type { Deliveries, DeliveryCost } from './transfer-deliveries.ts'

const OPTIONS_MIB = 2 ** 20

/** Sizes and durations of the benches. */
export interface Options {
  /** Another program in place of the server, to compare builds. */
  server?: string | undefined
  /** Payloads of an archive, and entries of the audit log. */
  rows: number
  rounds: number
  /** Duration of each side of a case. */
  milliseconds: number
  /** Clients that send requests at the same time. */
  clients: number
  groups: number
  devices: number
  /** Of archives in which payloads do not matter. */
  few_rows: number
  few_groups: number
  few_devices: number
  range_bytes: number
  /** The archive of the words bench contains nothing but messages. */
  only_messages: boolean
  /** Payloads of the archives that the growth bench compares, ascending. */
  growth: readonly number[]
  access_groups: number
  access_roles: number
  fleet_devices: number
  fleet_people?: number | undefined
  reporting_devices: number
  /** Large objects that the verify bench opens, and the bytes of each. */
  large_objects: number
  large_object_bytes: number
  retention_devices: number
  /** Duration of each request series while retention deletes. */
  retention_milliseconds: number
  ingest_phones: number
  /** Duration of each side of ingest, once it is warm. */
  ingest_milliseconds: number
  /** Duration of the uploads whose bytes on disk are counted. */
  footprint_milliseconds: number
  /** Phones that upload recordings, and phones that upload positions and telemetry. */
  recording_phones: number
  reporting_phones: number
  warm_up_milliseconds: number
  /** Rounds of sealing: its share of an upload is small, so that few rounds show only noise. */
  sealing_rounds: number
  /** Duration of the uploads with and without the sealed log. */
  sealing_milliseconds: number
  browser_arguments: readonly string[]
  /** The demo of the browser benches is filled with the data of its people, which takes a minute. */
  fills_demo: boolean
  /** A page has loaded after this time without a request. */
  quiet_milliseconds: number
  cpu_slowdown: number
  /** Calls that the review bench steps through, one in how many it plays, and the time on each. */
  items: number
  played_every: number
  look_milliseconds: number
  photos: number
  /** Screens by which the photo grid is scrolled. */
  screens: number
  positions: number
  /** Frames of each movement of the map. */
  map_frames: number
  replay_milliseconds: number
  transfer_files: number
  transfer_file_bytes: number
  transfer_large_bytes: number
  /** Repetitions of the large file in the item of which the memory is measured. */
  transfer_repetitions: number
  /** Time for which a delivering process settles before it is measured. */
  settle_milliseconds: number
}

export const FULL: Options = {
  rows: 1_000_000,
  rounds: 5,
  milliseconds: 2000,
  clients: 8,
  groups: 1000,
  devices: 20_000,
  few_rows: 10_000,
  few_groups: 100,
  few_devices: 1000,
  range_bytes: 200 * OPTIONS_MIB,
  only_messages: true,
  growth: [10_000, 100_000, 1_000_000],
  access_groups: 10_000,
  access_roles: 500,
  fleet_devices: 1_000_000,
  reporting_devices: 10_000,
  large_objects: 64,
  large_object_bytes: 16 * OPTIONS_MIB,
  retention_devices: 2000,
  retention_milliseconds: 4000,
  ingest_phones: 64,
  ingest_milliseconds: 2000,
  footprint_milliseconds: 20_000,
  recording_phones: 32,
  reporting_phones: 64,
  warm_up_milliseconds: 2000,
  sealing_rounds: 8,
  sealing_milliseconds: 10_000,
  browser_arguments: [],
  fills_demo: true,
  quiet_milliseconds: 1500,
  cpu_slowdown: 4,
  items: 500,
  played_every: 10,
  look_milliseconds: 300,
  photos: 1000,
  screens: 60,
  positions: 100_000,
  map_frames: 180,
  replay_milliseconds: 3000,
  transfer_files: 1500,
  transfer_file_bytes: 100_000,
  transfer_large_bytes: 512 * OPTIONS_MIB,
  transfer_repetitions: 4,
  settle_milliseconds: 500,
}

/** All archives have the same shape, so that one is filled and the others are copies. */
const [ROWS, GROUPS, DEVICES] = [400, 20, 40]

export const TINY: Options = {
  rows: ROWS,
  rounds: 1,
  milliseconds: 1,
  clients: 1,
  groups: GROUPS,
  devices: DEVICES,
  few_rows: ROWS,
  few_groups: GROUPS,
  few_devices: DEVICES,
  range_bytes: 2 * OPTIONS_MIB,
  only_messages: false,
  growth: [ROWS],
  access_groups: GROUPS,
  access_roles: 5,
  fleet_devices: DEVICES,
  reporting_devices: DEVICES,
  large_objects: 2,
  large_object_bytes: OPTIONS_MIB,
  retention_devices: DEVICES,
  retention_milliseconds: 1,
  ingest_phones: 1,
  ingest_milliseconds: 1,
  footprint_milliseconds: 100,
  recording_phones: 1,
  reporting_phones: 1,
  warm_up_milliseconds: 1,
  sealing_rounds: 1,
  sealing_milliseconds: 1,
  browser_arguments: [SHORT_LIVED],
  fills_demo: false,
  quiet_milliseconds: 100,
  cpu_slowdown: 1,
  items: 4,
  played_every: 2,
  look_milliseconds: 0,
  photos: 4,
  screens: 1,
  positions: 1500,
  map_frames: 10,
  replay_milliseconds: 100,
  transfer_files: 3,
  transfer_file_bytes: 1000,
  transfer_large_bytes: OPTIONS_MIB,
  transfer_repetitions: 2,
  settle_milliseconds: 0,
}

const QUICK_SHAPE = { rows: 50_000, groups: 1000, devices: 5000 }

/** All benches within ten minutes: one archive, filled once, and fewer repetitions. */
export const QUICK: Options = {
  ...FULL,
  ...QUICK_SHAPE,
  rounds: 2,
  milliseconds: 200,
  few_rows: QUICK_SHAPE.rows,
  few_groups: QUICK_SHAPE.groups,
  few_devices: QUICK_SHAPE.devices,
  growth: [5000, QUICK_SHAPE.rows],
  range_bytes: 50 * OPTIONS_MIB,
  only_messages: false,
  access_groups: QUICK_SHAPE.groups,
  access_roles: 50,
  fleet_devices: QUICK_SHAPE.devices,
  reporting_devices: 1000,
  large_objects: 8,
  large_object_bytes: 8 * OPTIONS_MIB,
  retention_devices: QUICK_SHAPE.devices,
  retention_milliseconds: 500,
  footprint_milliseconds: 10_000,
  recording_phones: 8,
  reporting_phones: 16,
  warm_up_milliseconds: 500,
  sealing_rounds: 8,
  sealing_milliseconds: 4000,
  fills_demo: false,
  quiet_milliseconds: 500,
  items: 30,
  look_milliseconds: 100,
  photos: 60,
  screens: 10,
  positions: 10_000,
  map_frames: 60,
  replay_milliseconds: 1000,
  transfer_files: 150,
  transfer_large_bytes: 128 * OPTIONS_MIB,
  transfer_repetitions: 2,
}

/** Input of every bench. */
export interface BenchContext {
  options: Options
  /** What the results are written with: sizes, machine, time. */
  facts: object
  file: string
  say: (step: string) => void
}

/** Epoch seconds of the newest payload: every run measures the same archive. */
export const UNTIL: number = Date.UTC(2026, 9, 1) / 1000

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
): Promise<DeliveryCost> {
  const working = run(process.execPath, ['--expose-gc', PROGRAM])
  working.child.stdin?.end(JSON.stringify({ ...job, target, settle_milliseconds }))
  return JSON.parse((await working).stdout) as DeliveryCost
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
