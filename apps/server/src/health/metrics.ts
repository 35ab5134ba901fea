import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { AppContext } from '../app-context.ts'
import { deliveryRegistry } from '../ports/delivery-metrics.ts'
import { describeMedia } from '../ports/media/index.ts'
import { askAll, type Probes, getProbes } from './probes.ts'
import { type DatabaseFigures, readDatabaseFigures } from './store.ts'
import { VERSION } from './version.ts'

/** Milliseconds that one server may take to show its certificate. */
const PATIENCE = 2_000

/** Expiry of the certificates of this installation's servers and dependencies (epoch seconds). */
async function certificateExpiries(
  config: Pick<AppContext['config'], 'publicUrl' | 'clientPortalUrl' | 'adminPortalUrl' | 'oidc' | 's3'>,
): Promise<{ host: string; expires_at: number }[]> {
  const named = [
    config.publicUrl,
    config.clientPortalUrl,
    config.adminPortalUrl,
    config.oidc?.issuer,
    config.s3?.endpoint,
  ]
  const hosts = named.flatMap((url) => (url?.startsWith('https:') ? [new URL(url).host] : []))
  const found = await Promise.all(
    [...new Set(hosts)].map(async (host) => ({ host, expires_at: await expiry(host) })),
  )
  return found.flatMap(({ host, expires_at }) => (expires_at === undefined ? [] : [{ host, expires_at }]))
}

/** Undefined if the host does not answer. Expired and untrusted certificates are reported as well. */
function expiry(host: string): Promise<number | undefined> {
  const { hostname, port } = new URL(`https://${host}`)
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const name = hostname.replace(/^\[|\]$/g, '')
  const socket = connect(
    {
      host: name,
      port: Number(port || 443),
      ...(isIP(name) ? {} : { servername: name }),
      rejectUnauthorized: false,
    },
    () => {
      resolve(Math.floor(Date.parse(socket.getPeerCertificate().valid_to) / 1000))
      socket.destroy()
    },
  )
  socket.setTimeout(PATIENCE, () => socket.destroy())
  socket.on('error', () => undefined).on('close', () => resolve(undefined))
  return promise
}

/** Milliseconds: how long figures from the database and from disks may take, and for how long they are good. */
const FIGURES = { limit: 2_500, keep: 5_000 }
/** Certificates last for weeks. */
const CERTIFICATES = { limit: 2_500, keep: 3_600_000 }

let ofProcess: Registry | undefined

/** The library's figures of this process: it can neither stop to watch the process nor watch it twice at the cost of once. */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
    // Gauges with the name of a counter; each is there by type as well.
    for (const what of ['handles', 'requests', 'resources'])
      ofProcess.removeSingleMetric(`nodejs_active_${what}_total`)
  }
  return ofProcess
}

type SetGauge<L extends string> = (labels: Record<L, string>, value: number) => void

/** Makes a gauge that is computed on each scrape. */
type MakeGauge = <L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[],
  fill: (set: SetGauge<L>) => Promise<void> | void,
) => void

/** Makes a gauge of database figures. */
type MakeFigure = <L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[],
  fill: (set: SetGauge<L>, found: DatabaseFigures) => void,
) => void

/**
 * Prometheus metrics of this process and its dependencies. Labels come from the program or are bounded
 * (`figures.ts`); they contain no references or people. A slow figure is omitted, so that `/metrics` always answers.
 */
function makeRegistry(ctx: AppContext, probes: Probes): Registry {
  const registry = Registry.merge([processMetrics(), deliveryRegistry])
  const registers = [registry]
  const gauge: MakeGauge = (name, help, labelNames, fill) => {
    const made: Gauge<(typeof labelNames)[number]> = new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        made.reset()
        // The library sets a gauge without labels to 0, which would be a figure.
        if (labelNames.length === 0) made.remove()
        await fill((labels, value) => made.set(labels, value))
      },
    })
  }
  const figures = recent(() => readDatabaseFigures(ctx), FIGURES)
  const figure: MakeFigure = (name, help, labelNames, fill) =>
    gauge(name, help, labelNames, async (set) => {
      const found = await figures()
      if (found) fill(set, found)
    })
  measureParts(gauge, ctx, probes)
  measureSpace(gauge, ctx)
  measureWork(figure)
  measureSafety(figure)
  measureKeys(gauge, ctx)
  return registry
}

/** Parts of this process and their connections. */
function measureParts(gauge: MakeGauge, ctx: AppContext, probes: Probes): void {
  const replicaLag = recent(() => ctx.db.replicaLag(), FIGURES)
  gauge('custodia_build_info', 'Version of the program', ['version', 'node'], (set) =>
    set({ version: VERSION, node: process.versions.node }, 1),
  )
  gauge(
    'custodia_replica_lag_seconds',
    'How far the replica is behind; +Inf when it does not answer',
    [],
    async (set) => {
      if (ctx.config.database.replica !== undefined) set({}, (await replicaLag()) ?? Infinity)
    },
  )
  gauge('custodia_part_up', '1 while a part serves, 0 while it does not', ['part'], async (set) => {
    for (const [part, state] of Object.entries(await askAll(probes)))
      if (state !== 'not configured') set({ part }, state === 'ok' ? 1 : 0)
  })
  gauge('custodia_database_connections', 'Connections of each pool', ['pool', 'state'], (set) => {
    for (const { pool, open, idle, waiting, max } of ctx.db.figures())
      for (const [state, value] of Object.entries({ used: open - idle, idle, waiting, max }))
        set({ pool, state }, value)
  })
}

function measureSpace(gauge: MakeGauge, ctx: AppContext): void {
  const space = recent(() => ctx.space.look(), FIGURES)
  gauge('custodia_disk_free_bytes', 'Free space where the installation writes', ['folder'], async (set) => {
    for (const { folder, free } of (await space()) ?? []) set({ folder }, free)
  })
  gauge('custodia_disk_reserve_bytes', 'Space that uploads leave free', [], (set) =>
    set({}, ctx.space.reserve),
  )
  gauge('custodia_disk_promised_bytes', 'Space that uploads under way may still need', [], (set) =>
    set({}, ctx.space.reserved()),
  )
}

/** Jobs, tasks and payloads that wait. */
function measureWork(figure: MakeFigure): void {
  figure('custodia_queue_jobs', 'Jobs by queue and state', ['queue', 'state'], (set, { queues }) => {
    for (const { queue, state, count } of queues) set({ queue, state }, count)
  })
  figure(
    'custodia_queue_oldest_seconds',
    'Age of the oldest job that waits',
    ['queue'],
    (set, { queues }) => {
      for (const { queue, oldest } of queues) if (oldest !== null) set({ queue }, oldest)
    },
  )
  figure(
    'custodia_lane_tasks',
    'Tasks of clients by lane, waiting and under way',
    ['lane'],
    (set, { lanes }) => {
      for (const { lane, count } of lanes) set({ lane }, count)
    },
  )
  figure('custodia_lane_overdue_seconds', 'For how long a task has been due', ['lane'], (set, { lanes }) => {
    for (const { lane, overdue } of lanes) set({ lane }, overdue)
  })
  figure(
    'custodia_payloads_waiting',
    'Payloads that are not finished, of the clients with most of them',
    ['client'],
    (set, { clients }) => {
      for (const { client, count } of clients) set({ client }, count)
    },
  )
  figure(
    'custodia_payloads_oldest_seconds',
    'For how long the oldest payload waits',
    ['client'],
    (set, { clients }) => {
      for (const { client, oldest } of clients) set({ client }, oldest)
    },
  )
}

/** Alerts, destructions, checks and backups. */
function measureSafety(figure: MakeFigure): void {
  figure('custodia_alerts_open', 'Alerts that are not cleared', ['target', 'severity'], (set, { alerts }) => {
    for (const { target, severity, count } of alerts) set({ target, severity }, count)
  })
  figure('custodia_destructions_unfinished', 'Destroyed, and not finished', [], (set, { unfinished }) => {
    for (const { count } of unfinished) set({}, count)
  })
  figure(
    'custodia_destructions_unfinished_seconds',
    'For how long the oldest destruction is not finished',
    [],
    (set, { unfinished }) => {
      for (const { oldest } of unfinished) set({}, oldest)
    },
  )
  figure(
    'custodia_verify_ended_timestamp_seconds',
    'When the archive was last checked',
    ['outcome'],
    (set, { verified }) => {
      for (const { outcome, ended_at } of verified) set({ outcome }, ended_at)
    },
  )
  figure(
    'custodia_backup_ended_timestamp_seconds',
    'When the newest backup ended; 0 without any',
    [],
    (set, { backed_up_at }) => set({}, backed_up_at),
  )
  figure(
    'custodia_wal_archive_failing',
    '1 while the database fails to archive its write-ahead log',
    [],
    (set, { archive_fails }) => {
      if (archive_fails !== null) set({}, Number(archive_fails))
    },
  )
}

/** Keys and certificates that must be replaced in time. */
function measureKeys(gauge: MakeGauge, ctx: AppContext): void {
  const versions = recent(() => ctx.keys.keyVersionsMadeAt(), FIGURES)
  gauge(
    'custodia_keystore_oldest_key_timestamp_seconds',
    'When the oldest key of the keystore was made; all are replaced within eight days',
    [],
    async (set) => {
      // 0: its erasure was interrupted, and is repeated.
      const oldest = (await versions())?.find((made_at) => made_at > 0)
      if (oldest !== undefined) set({}, oldest)
    },
  )
  const certificates = recent(() => certificateExpiries(ctx.config), CERTIFICATES)
  gauge(
    'custodia_certificate_expires_timestamp_seconds',
    'When a certificate in use ends',
    ['host'],
    async (set) => {
      for (const { host, expires_at } of (await certificates()) ?? []) set({ host }, expires_at)
    },
  )
}

/** Counts uncaught errors; `main.ts` keeps the process alive after them. */
function countUncaught(registry: Registry): (kind: string) => void {
  const uncaught = new Counter({
    name: 'custodia_uncaught_errors_total',
    help: 'Uncaught errors: faults of the program',
    labelNames: ['kind'],
    registers: [registry],
  })
  return (kind) => uncaught.inc({ kind })
}

/**
 * Caches the newest result of an expensive check for `keep` ms and runs one at a time. Undefined if it fails or takes
 * longer than `limit` ms; never rejects.
 */
function recent<T>(
  ask: () => Promise<T>,
  { limit, keep }: { limit: number; keep: number },
): () => Promise<T | undefined> {
  let last: { value: T; at: number } | undefined
  let running: Promise<T | undefined> | undefined
  return async () => {
    if (last && performance.now() - last.at < keep) return last.value
    running ??= ask()
      .then(
        (value) => {
          last = { value, at: performance.now() }
          return value
        },
        () => undefined,
      )
      .finally(() => (running = undefined))
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), limit)
    return Promise.race([running, late]).finally(() => clearTimeout(timer))
  }
}

/** What can be asked about a running process. */
export interface WatchedProcess {
  probes: Probes
  /** Notes next to the parts' states; they never affect readiness. */
  notes: Readonly<Record<string, string>>
  registry: Registry
  countUncaught(kind: string): void
}

/** Makes the probes and figures of a server ready to be asked for. */
export function watch(ctx: AppContext): WatchedProcess {
  const probes = getProbes(ctx)
  const registry = makeRegistry(ctx, probes)
  return {
    probes,
    notes: { converter: describeMedia(ctx.media) },
    registry,
    countUncaught: countUncaught(registry),
  }
}
