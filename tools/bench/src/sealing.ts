import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { readConfig } from '../../../apps/server/src/config.ts'
import { DEVICE_COLUMNS } from '../../../apps/server/src/http/audit-store.ts'
import { type Archive as OpenArchive, openArchive } from '../../../apps/server/src/open-archive.ts'
import { sealBatch } from '../../../apps/server/src/sealed-log/seal.ts'
import { type BenchPhone, enrol } from './ingest-phones.ts'
import { countProcessed, getCpu, type Demo, startDemo } from './ingest.ts'
import { bothSides, cpuMilliseconds, quantile, type Sample } from './load.ts'
import type { BenchContext, Options } from './options.ts'
import { uploadAll } from './report-ingest.ts'
import { type Line, median, report, spread } from './report.ts'

/** Milliseconds between two looks at the log: a delay is measured to twice as much. */
const LOOK = 20
/** Milliseconds within which all payloads must be processed and all entries sealed. */
const PATIENCE = 300_000

/** Entries of the batches whose CPU is measured, the usual size last, and how many of each size are sealed. */
const [SIZES, ENTRIES] = [[10, 75, 375], 3000] as const

/** Milliseconds from the commit of an entry to the checkpoint that covers it. */
interface Delay {
  entries: number
  p50: number
  p99: number
}
/** Microseconds of CPU for an entry of a batch of this size. */
interface Cost {
  size: number
  cpu_us: number
}

/**
 * Uploads at a steady rate, with sealing and while the log is locked, which keeps the server from sealing: then its entries are
 * sealed when the CPU has been read. And batches of entries alone.
 */
export async function measureSealing({ options, facts, file, say }: BenchContext): Promise<void> {
  const demo = await startDemo()
  const line: Line = { name: 'uploads', note: 'sealed / unsealed', pairs: [] }
  const delays: Delay[] = []
  const costs: Cost[] = []
  const phones = await enrol(demo.dataDir, demo.running.port, options.ingest_phones)
  try {
    await upload(demo, phones, options.warm_up_milliseconds, 0)
    for (let round = 1; round <= options.sealing_rounds; round++) {
      say(`Round ${round} of ${options.sealing_rounds} …`)
      const subject = async () => {
        const [sample, delay] = await withSealing(demo, phones, options)
        delays.push(delay)
        return sample
      }
      line.pairs.push(await bothSides(round, subject, () => withoutSealing(demo, phones, options)))
      costs.push(...(await measureCosts(demo, options)))
    }
  } finally {
    for (const { agent } of phones) agent.destroy()
    await demo.stop()
  }
  const middle = (of: (delay: Delay) => number) => median(delays.map(of)).toFixed(0)
  const getCost = (size: number) => costs.filter((cost) => cost.size === size).map(({ cpu_us }) => cpu_us)
  console.log(`
Sealed log, medians of ${options.sealing_rounds} rounds

entries                  ${middle(({ entries }) => entries)}
delay                    p50 ${middle(({ p50 }) => p50)} ms, p99 ${middle(({ p99 }) => p99)} ms
${SIZES.map((size) => `CPU of entry, batch ${String(size).padEnd(4)} ${spread(getCost(size))} µs`).join('\n')}`)
  const entries = costs.filter(({ size }) => size === SIZES.at(-1))
  report('Sealing', [line], { ...facts, delays, costs, entries }, file)
}

/** Writes copies of the newest entries of a client, so many at a time, and seals each batch in this process. */
async function measureCosts({ owner, dataDir, connection }: Demo, options: Options): Promise<Cost[]> {
  await untilSealed(owner)
  const archive = await openArchive(
    readConfig({ DATABASE_URL: connection, CUSTODIA_DATA: dataDir, DATABASE_UNSAFE: 'true' }),
  )
  try {
    const { rows } = await owner.query<{ client_id: number; client: string }>(
      'select client_id, client from clients join payload_history using (client_id) limit 1',
    )
    const [client] = rows
    if (!client) throw new Error('no payload was uploaded')
    const costs: Cost[] = []
    for (const size of SIZES) {
      const batches = Math.ceil(options.sealing_milliseconds > 1 ? ENTRIES / size : 1)
      await sealCopies(archive, owner, client, 1, size)
      costs.push({ size, cpu_us: (await sealCopies(archive, owner, client, batches, size)) / batches / size })
    }
    return costs
  } finally {
    await archive.close()
  }
}

/** Microseconds of CPU, of this process and of its database connections, that sealing so many batches takes. */
async function sealCopies(
  archive: OpenArchive,
  owner: pg.Client,
  client: { client_id: number; client: string },
  batches: number,
  size: number,
): Promise<number> {
  const database = async () => {
    const { rows } = await owner.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name like 'custodia archive%'`,
    )
    return cpuMilliseconds(rows.map(({ pid }) => pid))
  }
  let cpu = 0
  const before = await database()
  for (let batch = 0; batch < batches; batch++) {
    await copyEntries(owner, client.client_id, size)
    const start = process.cpuUsage()
    await sealBatch(archive, client)
    const { user, system } = process.cpuUsage(start)
    cpu += user + system
  }
  return cpu + ((await database()) - before) * 1000
}

/** Writes the newest entries of a client again, in one transaction: a third of devices, the others of payloads, as an upload does. */
async function copyEntries(owner: pg.Client, client_id: number, count: number): Promise<void> {
  const devices = Math.ceil(count / 3)
  await owner.query('begin')
  await owner.query(
    `insert into device_activities (log_id, ${DEVICE_COLUMNS.filter((name) => name !== 'log_id').join(', ')})
     select gen_random_uuid()::text, ${DEVICE_COLUMNS.filter((name) => name !== 'log_id').join(', ')}
     from (select * from device_activities where client_id = $1 order by activity_time desc limit 1) d, generate_series(1, $2)`,
    [client_id, devices],
  )
  await owner.query(
    `insert into payload_history (client_id, from_state, to_state, payload_id, at, by, reason)
     select client_id, from_state, to_state, payload_id, at, by, reason
     from (select * from payload_history where client_id = $1 order by xid desc limit 1) h, generate_series(1, $2)`,
    [client_id, count - devices],
  )
  await owner.query('commit')
}

/** Uploads for so long, and waits until the server has processed all, and then for so long again. */
async function upload(
  { running, owner }: Demo,
  phones: readonly BenchPhone[],
  milliseconds: number,
  rest: number,
): Promise<Sample> {
  const [before, processed] = [await getCpu(running, owner), await countProcessed(owner)]
  const { count, p50, p99 } = await uploadAll(phones, milliseconds)
  await until('processed', async () => (await countProcessed(owner)) >= processed + count)
  await pause(rest)
  const cpu = ((await getCpu(running, owner)) - before) / count
  return { requests: count, per_second: (count * 1000) / milliseconds, p50, p99, cpu }
}

async function withSealing(
  demo: Demo,
  phones: readonly BenchPhone[],
  { sealing_milliseconds }: Options,
): Promise<[Sample, Delay]> {
  const { owner } = demo
  await untilSealed(owner)
  const before = await getSizes(owner)
  const watch = watchLog(owner)
  // The rest is longer than the time for which entries are gathered.
  const sample = await upload(demo, phones, sealing_milliseconds, sealing_milliseconds / 4)
  await untilSealed(owner)
  return [sample, await measureDelays(owner, before, await watch())]
}

async function withoutSealing(
  demo: Demo,
  phones: readonly BenchPhone[],
  { sealing_milliseconds }: Options,
): Promise<Sample> {
  const { owner } = demo
  await untilSealed(owner)
  await owner.query(`select pg_advisory_lock(hashtext('sealed log'), client_id) from clients`)
  try {
    return await upload(demo, phones, sealing_milliseconds, sealing_milliseconds / 4)
  } finally {
    await owner.query('select pg_advisory_unlock_all()')
  }
}

async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`not all were ${what}`)
    await pause(LOOK)
  }
}

/** Waits until the entries of uploads have a position. */
async function untilSealed(owner: pg.Client): Promise<void> {
  const newer = (table: string) => `select from ${table} r where r.client_id = c.client_id
    and r.xid > coalesce((select max(last_xid) from sealed_batches b where b.client_id = c.client_id), 0)::text::xid8`
  const text = `select from clients c where exists (${newer('device_activities')}) or exists (${newer('payload_history')})`
  await until('sealed', async () => (await owner.query(text)).rowCount === 0)
}

/** The size of the log of each client under a checkpoint. */
async function getSizes(owner: pg.Client): Promise<Map<number, number>> {
  const { rows } = await owner.query<{ client_id: number; size: string }>(
    'select client_id, max(size) as size from sealed_checkpoints group by client_id',
  )
  return new Map(rows.map(({ client_id, size }) => [client_id, Number(size)]))
}

/** What a look at the database found: the transactions that it could see, and the sizes of the logs. */
interface Look {
  at: number
  snapshot: string
  sizes: Map<number, number>
}

/** Looks at the log again and again until the returned function is called. */
function watchLog(owner: pg.Client): () => Promise<Look[]> {
  const looks: Look[] = []
  let hasEnded = false
  const watching = (async () => {
    // One more look sees what was sealed last.
    for (let isLast = false; !isLast;) {
      isLast = hasEnded
      const { rows } = await owner.query<{ snapshot: string }>(
        'select pg_current_snapshot()::text as snapshot',
      )
      looks.push({ at: performance.now(), snapshot: rows[0]?.snapshot ?? '', sizes: await getSizes(owner) })
      await pause(LOOK)
    }
    return looks
  })()
  watching.catch(() => undefined)
  return () => {
    hasEnded = true
    return watching
  }
}

/** Whether a snapshot (`oldest:next:running,running …`) sees a transaction. */
function isSeen(snapshot: string, xid: bigint): boolean {
  const [oldest = '', next = '', running = ''] = snapshot.split(':')
  return xid < BigInt(oldest) || (xid < BigInt(next) && !running.split(',').includes(String(xid)))
}

/** Milliseconds from the last look that did not see an entry to the first that found it under a checkpoint. */
async function measureDelays(
  owner: pg.Client,
  before: ReadonlyMap<number, number>,
  looks: readonly Look[],
): Promise<Delay> {
  const delays: number[] = []
  let entries = 0
  for (const [client_id, from] of before) {
    const { rows } = await owner.query<{ xid: string; position: string }>(
      'select xid, position from sealed_entries where client_id = $1 and first >= $2',
      [client_id, from],
    )
    entries += rows.length
    for (const { xid, position } of rows) {
      const seen = looks.findIndex(({ snapshot }) => isSeen(snapshot, BigInt(xid)))
      const covered = looks.find(({ sizes }) => (sizes.get(client_id) ?? 0) > Number(position))
      const last = looks[Math.max(0, seen - 1)]
      if (covered && last) delays.push(covered.at - last.at)
    }
  }
  return { entries, p50: quantile(delays, 0.5), p99: quantile(delays, 0.99) }
}
