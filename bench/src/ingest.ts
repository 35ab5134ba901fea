import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startEmbedded } from '../../apps/server/src/ports/database/embedded.ts'
import { freePort } from '../../apps/server/src/testing/daemon.ts'
import { cpuMilliseconds } from './cpu.ts'
import { type Running, startProgram } from './house.ts'
import { deliver, enrol, sealMessage, send } from './ingest-phones.ts'
import type { Sample } from './load.ts'
import type { Line } from './report.ts'

const OWN = fileURLToPath(new URL('../../apps/server/src/main.ts', import.meta.url))
const FLOOR = fileURLToPath(new URL('./ingest-floor.ts', import.meta.url))
const PHONES = 64
/** Seconds in which everything that was acknowledged has to be processed. */
const PATIENCE = 300

export interface IngestOptions {
  rounds: number
  milliseconds: number
  /** Another build to measure in turn with this one: its folder, or its program. */
  server: string | undefined
}

/** What one round of uploads came to. */
interface Round {
  acknowledged: Sample
  processed: Sample
}

/** Sixty-four phones that send small messages: acknowledged and processed, of this build and of another, beside the floor. */
export async function measureIngest(options: IngestOptions, say: (step: string) => void): Promise<Line[]> {
  const builds = [{ name: 'this build', program: OWN }]
  if (options.server !== undefined) builds.push({ name: options.server, program: programOf(options.server) })
  const lines = builds.map(({ name }) => ({
    acknowledged: { name: 'acknowledged', note: name, pairs: [] } as Line,
    processed: { name: 'processed', note: name, pairs: [] } as Line,
  }))
  for (let round = 1; round <= options.rounds; round++) {
    say(`Round ${round} of ${options.rounds} …`)
    const floor = await measureFloor(options.milliseconds)
    // Whoever comes second finds everything warmer: turn about.
    const order = [...builds.entries()]
    if (round % 2 === 0) order.reverse()
    for (const [i, { program }] of order) {
      const { acknowledged, processed } = await measureBuild(program, options.milliseconds)
      lines[i]?.acknowledged.pairs.push({ subject: acknowledged, floor })
      lines[i]?.processed.pairs.push({ subject: processed, floor })
    }
  }
  return lines.flatMap(({ acknowledged, processed }) => [acknowledged, processed])
}

/** A checkout stands for its server. */
function programOf(server: string): string {
  const path = resolve(server)
  if (!existsSync(path)) throw new Error(`there is no ${path}`)
  return statSync(path).isDirectory() ? join(path, 'apps/server/src/main.ts') : path
}

/** A PostgreSQL and a folder of their own for one run, so that no run finds what another one left. */
async function inHouse<T>(work: (folder: string, url: string, owner: pg.Client) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'custodia-bench-'))
  chmodSync(folder, 0o711)
  const database = await startEmbedded({ dataDir: join(folder, 'postgres'), log: () => undefined })
  try {
    const owner = new pg.Client(database.url)
    await owner.connect()
    try {
      return await work(folder, database.url, owner)
    } finally {
      await owner.end()
    }
  } finally {
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const measureBuild = (program: string, milliseconds: number): Promise<Round> =>
  inDemoHouse(
    (dataDir, _port, running, owner) => deliverAll(dataDir, running, owner, milliseconds),
    program,
    { RATE_DEVICE: 'off', RATE_DEVICE_ITEMS: 'off', RATE_PUBLIC: 'off' },
  )

/** A server with the demo's clients, for phones to enrol at, in a house of its own. */
export const inDemoHouse = <T>(
  work: (dataDir: string, port: number, running: Running, owner: pg.Client, url: string) => Promise<T>,
  program = OWN,
  env: Record<string, string> = {},
): Promise<T> =>
  inHouse(async (folder, url, owner) => {
    const port = await freePort()
    const dataDir = join(folder, 'data')
    const running = await startProgram(program, port, {
      ...env,
      DATABASE_URL: url,
      CUSTODIA_DATA: dataDir,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      HOST: '127.0.0.1',
      DEMO: 'true',
      LOG_LEVEL: 'warn',
    })
    try {
      return await work(dataDir, port, running, owner, url)
    } finally {
      await running.stop()
    }
  })

async function deliverAll(
  dataDir: string,
  running: Running,
  owner: pg.Client,
  milliseconds: number,
): Promise<Round> {
  const phones = await enrol(dataDir, running.port, PHONES)
  const taken: number[] = []
  const acknowledgedAt: number[] = []
  const cpuBefore = await cpuOf(running, owner)
  const started = performance.now()
  const watch = watchProcessed(owner, started)
  await Promise.all(
    phones.map(async (phone) => {
      while (performance.now() - started < milliseconds) {
        const message = await sealMessage(phone)
        const at = performance.now()
        await deliver(phone, message)
        taken.push(performance.now() - at)
        acknowledgedAt.push(performance.now() - started)
      }
    }),
  )
  const elapsed = performance.now() - started
  const processedAt = await watch(acknowledgedAt.length)
  const cpu = ((await cpuOf(running, owner)) - cpuBefore) / acknowledgedAt.length
  for (const phone of phones) phone.agent.destroy()
  acknowledgedAt.sort((a, b) => a - b)
  const waited = acknowledgedAt.map((at, i) => Math.max(0, (processedAt[i] ?? Number.NaN) - at))
  return {
    acknowledged: sampleOf(taken, elapsed, cpu),
    processed: sampleOf(waited, processedAt.at(-1) ?? Number.NaN, cpu),
  }
}

/** When the first, second, … payload was seen processed, in milliseconds since the start; looked at twenty times a second. */
function watchProcessed(owner: pg.Client, started: number): (wanted: number) => Promise<number[]> {
  const at: number[] = []
  let wanted = Number.POSITIVE_INFINITY
  let deadline = Number.POSITIVE_INFINITY
  const watching = (async () => {
    while (at.length < wanted) {
      if (performance.now() > deadline) throw new Error(`${at.length} of ${wanted} were processed`)
      const { rows } = await owner.query<{ count: string }>(COUNT)
      const now = performance.now() - started
      const count = Number(rows[0]?.count)
      while (at.length < count) at.push(now)
      await pause(50)
    }
    return at
  })()
  watching.catch(() => undefined)
  return (count) => {
    wanted = count
    deadline = performance.now() + PATIENCE * 1000
    return watching
  }
}

const COUNT = 'select count(*) from payloads where processed_at is not null'

function sampleOf(taken: number[], elapsed: number, cpu: number): Sample {
  const sorted = taken.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return {
    requests: sorted.length,
    per_second: (sorted.length * 1000) / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    cpu,
  }
}

function measureFloor(milliseconds: number): Promise<Sample> {
  return inHouse(async (folder, url, owner) => {
    const port = await freePort()
    const running = await startProgram(FLOOR, port, { DATABASE_URL: url, FOLDER: join(folder, 'floor') })
    try {
      const bytes = Buffer.alloc(1100, 'floor')
      const taken: number[] = []
      const before = await cpuOf(running, owner)
      const started = performance.now()
      const phone = async (_: unknown, number: number) => {
        const target = { agent: new Agent({ keepAlive: true, maxSockets: 1 }), port, headers: {} }
        for (let i = 0; performance.now() - started < milliseconds; i++) {
          const at = performance.now()
          await send(target, 'PUT', `/${number}-${i}`, bytes)
          taken.push(performance.now() - at)
        }
        target.agent.destroy()
      }
      await Promise.all(Array.from({ length: PHONES }, phone))
      const elapsed = performance.now() - started
      return sampleOf(taken, elapsed, ((await cpuOf(running, owner)) - before) / taken.length)
    } finally {
      await running.stop()
    }
  })
}

/** CPU milliseconds so far of the program with everything that it started, and of PostgreSQL. */
export async function cpuOf({ pid }: Running, owner: pg.Client): Promise<number> {
  const { rows } = await owner.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = parents().get(rows[0]?.pid ?? 0) ?? 0
  return cpuMilliseconds(familyOf([pid, postmaster]))
}

/** These processes with all that descend from them. */
function familyOf(roots: readonly number[]): number[] {
  const family = new Set(roots)
  const known = parents()
  for (let size = 0; size < family.size;) {
    size = family.size
    for (const [pid, parent] of known) if (family.has(parent)) family.add(pid)
  }
  return [...family]
}

function parents(): Map<number, number> {
  const found = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      found.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It ended meanwhile.
    }
  }
  return found
}
