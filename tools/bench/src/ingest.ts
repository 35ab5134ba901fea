import { existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import { Agent } from 'node:http'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { connectedOwner, copiedDatabase, emptyDatabase } from '../../../apps/server/src/testing/database.ts'
import { makeFolder } from './fill.ts'
import { type BenchPhone, deliver, enrol, sealMessage, send } from './ingest-phones.ts'
import { cpuMilliseconds, getFamily, getPostmaster, quantile, type Sample } from './load.ts'
import type { Options } from './options.ts'
import type { Line } from './report.ts'
import { type RunningServer, SERVER, shared, startProgram } from './server.ts'

const BASELINE = fileURLToPath(new URL('./ingest-baseline.ts', import.meta.url))
/** Seconds within which the server must process everything that it acknowledged. */
const PATIENCE = 300

/** How many times longer than others the round of a fresh installation is: its tables must outgrow their first plans. */
const FRESH_ROUND = 6

/** What a message takes on disk once it is processed. */
interface Footprint {
  /** Of the database and of the object store. */
  bytes: number
  /** Files and folders of the object store. */
  inodes: number
  /** Bytes of PostgreSQL's write-ahead log. */
  wal: number
}

/** The results of one round of uploads. */
interface Round {
  acknowledged: Sample
  processed: Sample
  /** As acknowledged, with the CPU of PostgreSQL alone. */
  database: Sample
}

/**
 * Devices that send small messages: acknowledged and processed, by this build and by another, compared with the floor; and a
 * fresh installation, compared with itself once PostgreSQL has statistics, with what its messages take on disk.
 */
export async function measureIngest(
  options: Options,
  say: (step: string) => void,
): Promise<{ lines: Line[]; footprint: Footprint[] }> {
  const builds = [{ name: 'this build', program: SERVER }]
  if (options.server !== undefined) builds.push({ name: options.server, program: getProgram(options.server) })
  const lines = builds.map(({ name }) => ({
    acknowledged: { name: 'acknowledged', note: name, pairs: [] } as Line,
    processed: { name: 'processed', note: name, pairs: [] } as Line,
  }))
  for (let round = 1; round <= options.rounds; round++) {
    say(`Round ${round} of ${options.rounds} …`)
    const baseline = await measureBaseline(options)
    // The second side finds warm caches: the sides alternate.
    const order = [...builds.entries()]
    if (round % 2 === 0) order.reverse()
    for (const [i, { program }] of order) {
      const { acknowledged, processed } = await measureBuild(program, options)
      lines[i]?.acknowledged.pairs.push({ subject: acknowledged, floor: baseline })
      lines[i]?.processed.pairs.push({ subject: processed, floor: baseline })
    }
  }
  say('A fresh installation …')
  const { pair, footprint } = await measureFresh(options)
  const fresh: Line = { name: 'fresh installation', note: 'CPU of PostgreSQL, by statistics', pairs: [pair] }
  say(
    `A message takes ${(footprint.bytes / 1000).toFixed(2)} KB and ${footprint.inodes.toFixed(3)} inodes; write-ahead log ${(footprint.wal / 1000).toFixed(1)} KB.`,
  )
  return {
    lines: [...lines.flatMap(({ acknowledged, processed }) => [acknowledged, processed]), fresh],
    footprint: [footprint],
  }
}

/** Queues that are empty at this moment keep their space: they are as long with the next messages. */
const CLEAN = 'vacuum (analyze, truncate off)'

/** The first payloads of an empty database, and as many after PostgreSQL has analysed it. */
async function measureFresh(
  options: Options,
): Promise<{ pair: Line['pairs'][number]; footprint: Footprint }> {
  const longer = { ...options, milliseconds: options.milliseconds * FRESH_ROUND }
  const demo = await startDemo()
  try {
    const phones = await enrol(demo.dataDir, demo.running.port, options.ingest_phones)
    const { database: subject } = await deliverAll(demo, phones, longer)
    await demo.owner.query(CLEAN)
    const { database: floor } = await deliverAll(demo, phones, longer)
    await demo.owner.query(CLEAN)
    // Tables have their statistics, and free space of rows that changed.
    const before = await getDisk(demo)
    const { requests } = (
      await deliverAll(demo, phones, { ...options, milliseconds: options.footprint_milliseconds })
    ).acknowledged
    const after = await getDisk(demo)
    const perMessage = (figure: keyof Footprint) => (after[figure] - before[figure]) / requests
    return {
      pair: { subject, floor },
      footprint: { bytes: perMessage('bytes'), inodes: perMessage('inodes'), wal: perMessage('wal') },
    }
  } finally {
    await demo.stop()
  }
}

/** What the demo takes on disk; sparse files count what is allocated. */
async function getDisk({ dataDir, owner }: Demo): Promise<Footprint> {
  const { rows } = await owner.query<Record<'bytes' | 'wal', string>>(
    `select pg_database_size(current_database()) as bytes, pg_current_wal_lsn() - '0/0' as wal`,
  )
  const objects = readdirSync(join(dataDir, 'objects'), { recursive: true, withFileTypes: true })
    // SQLite's log of the index has one size once it is full.
    .filter(({ name }) => !name.endsWith('-wal'))
  // An object that is deleted at this moment counts no longer.
  const allocated = objects.map(
    ({ parentPath, name }) =>
      (lstatSync(join(parentPath, name), { throwIfNoEntry: false })?.blocks ?? 0) * 512,
  )
  return {
    bytes: allocated.reduce((sum, each) => sum + each, Number(rows[0]?.bytes)),
    inodes: objects.length,
    wal: Number(rows[0]?.wal),
  }
}

/** The program of a checkout is its server. */
function getProgram(server: string): string {
  const path = resolve(server)
  if (!existsSync(path)) throw new Error(`there is no ${path}`)
  return statSync(path).isDirectory() ? join(path, 'apps/server/src/main.ts') : path
}

interface Database {
  folder: string
  connection: string
  owner: pg.Client
  stop(): Promise<void>
}

/** Makes a database and a folder for one run, so that no run finds the data of another. */
async function makeDatabase({ isMigrated }: { isMigrated: boolean }): Promise<Database> {
  const { connection, drop } = await (isMigrated ? copiedDatabase() : emptyDatabase())
  const [folder, owner] = [makeFolder(), await connectedOwner(connection)]
  return {
    folder,
    connection,
    owner,
    async stop() {
      await owner.end()
      await drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A server with the clients and people of the demo and without their data. */
export interface Demo extends Omit<Database, 'folder'> {
  dataDir: string
  running: RunningServer
}

/** Starts a demo without data. Another build migrates the database itself. */
export const startDemo = (program = SERVER): Promise<Demo> =>
  shared(`demo of ${program}`, async () => {
    const { folder, connection, owner, stop } = await makeDatabase({ isMigrated: program === SERVER })
    const dataDir = join(folder, 'data')
    const env = {
      DATABASE_URL: connection,
      CUSTODIA_DATA: dataDir,
      HOST: '127.0.0.1',
      DEMO: 'true',
      LOG_LEVEL: 'warn',
      RATE_DEVICE: 'off',
      RATE_DEVICE_ITEMS: 'off',
      RATE_PUBLIC: 'off',
    }
    const running = await startProgram(program, env, ['start'])
    return { dataDir, connection, owner, running, stop: () => running.stop().then(stop) }
  })

async function measureBuild(program: string, options: Options): Promise<Round> {
  const demo = await startDemo(program)
  try {
    const phones = await enrol(demo.dataDir, demo.running.port, options.ingest_phones)
    await deliverAll(demo, phones, { ...options, milliseconds: options.warm_up_milliseconds })
    return await deliverAll(demo, phones, { ...options, milliseconds: options.ingest_milliseconds })
  } finally {
    await demo.stop()
  }
}

async function deliverAll(
  { running, owner }: Demo,
  phones: readonly BenchPhone[],
  options: Options,
): Promise<Round> {
  const taken: number[] = []
  const acknowledgedAt: number[] = []
  const cpuBefore = await getCpu(running, owner)
  const databaseBefore = await cpuOfDatabase(owner)
  const started = performance.now()
  const watch = await watchProcessed(owner, started)
  await Promise.all(
    phones.map(async (phone) => {
      do {
        const message = await sealMessage(phone)
        const at = performance.now()
        await deliver(phone, message)
        taken.push(performance.now() - at)
        acknowledgedAt.push(performance.now() - started)
      } while (performance.now() - started < options.milliseconds)
    }),
  )
  const elapsed = performance.now() - started
  const processedAt = await watch(acknowledgedAt.length)
  const cpu = ((await getCpu(running, owner)) - cpuBefore) / acknowledgedAt.length
  const cpuDatabase = ((await cpuOfDatabase(owner)) - databaseBefore) / acknowledgedAt.length
  for (const phone of phones) phone.agent.destroy()
  acknowledgedAt.sort((a, b) => a - b)
  const waited = acknowledgedAt.map((at, i) => Math.max(0, (processedAt[i] ?? Number.NaN) - at))
  return {
    acknowledged: getSample(taken, elapsed, cpu),
    processed: getSample(waited, processedAt.at(-1) ?? Number.NaN, cpu),
    database: getSample(taken, elapsed, cpuDatabase),
  }
}

/** Notes twenty times a second how many payloads are processed; resolves to the times of the first, the second and so on, in milliseconds. */
async function watchProcessed(
  owner: pg.Client,
  started: number,
): Promise<(wanted: number) => Promise<number[]>> {
  const before = await countProcessed(owner)
  const at: number[] = []
  let wanted = Number.POSITIVE_INFINITY
  let deadline = Number.POSITIVE_INFINITY
  const watching = (async () => {
    while (at.length < wanted) {
      if (performance.now() > deadline) throw new Error(`${at.length} of ${wanted} were processed`)
      const count = (await countProcessed(owner)) - before
      const now = performance.now() - started
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

/** How many payloads are processed. */
export async function countProcessed(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query<{ count: string }>(
    'select count(*) from payloads where processed_at is not null',
  )
  return Number(rows[0]?.count)
}

const getSample = (taken: number[], elapsed: number, cpu: number): Sample => ({
  requests: taken.length,
  per_second: (taken.length * 1000) / elapsed,
  p50: quantile(taken, 0.5),
  p99: quantile(taken, 0.99),
  cpu,
})

async function measureBaseline({ ingest_phones, ingest_milliseconds }: Options): Promise<Sample> {
  const { folder, connection, owner, stop } = await makeDatabase({ isMigrated: false })
  const running = await startProgram(BASELINE, { DATABASE_URL: connection, FOLDER: join(folder, 'floor') })
  try {
    const bytes = Buffer.alloc(1100, 'floor')
    const taken: number[] = []
    const before = await getCpu(running, owner)
    const started = performance.now()
    const phone = async (_: unknown, number: number) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const target = { agent, port: running.port, headers: {} }
      let i = 0
      do {
        const at = performance.now()
        await send(target, 'PUT', `/${number}-${i++}`, bytes)
        taken.push(performance.now() - at)
      } while (performance.now() - started < ingest_milliseconds)
      agent.destroy()
    }
    await Promise.all(Array.from({ length: ingest_phones }, phone))
    const elapsed = performance.now() - started
    return getSample(taken, elapsed, ((await getCpu(running, owner)) - before) / taken.length)
  } finally {
    await running.stop()
    await stop()
  }
}

/** CPU milliseconds so far of the program with its descendants, and of PostgreSQL. */
export async function getCpu({ pid }: RunningServer, owner: pg.Client): Promise<number> {
  return cpuMilliseconds(getFamily([pid, await getPostmaster(owner)]))
}

/** CPU milliseconds of PostgreSQL so far. */
export async function cpuOfDatabase(owner: pg.Client): Promise<number> {
  return cpuMilliseconds(getFamily([await getPostmaster(owner)]))
}
