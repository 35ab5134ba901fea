import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { addVisitor, type Archive, CLIENT, makeArchive } from './fill.ts'
import { load, type Sample } from './load.ts'
import { type BenchContext, type Options, UNTIL } from './options.ts'
import { median } from './report.ts'
import { signIn, startServer } from './server.ts'

/** The requests that are sent while retention deletes, and the role of the person who sends them. */
const CASES = {
  list: { path: '/client/v1/api/payloads?service=calls', role: 'Compliance Reviewer' },
  dashboard: { path: `/admin/v1/api/${CLIENT}/dashboard`, role: 'Account Administrator' },
} as const
type Case = keyof typeof CASES
const NAMES = Object.keys(CASES) as Case[]

type Times = Pick<Sample, 'p50' | 'p99'>

/** Response times of each case: alone, and during the sweep. */
type Requests = Record<Case, { exclusively: Times; during: Times }>

/** Requests lists and the dashboard from the server, one request at a time: alone, and while `sweep` runs. */
async function measureRequests(
  archive: Archive,
  milliseconds: number,
  sweep: () => Promise<unknown>,
): Promise<Requests> {
  for (const name of NAMES) await addVisitor(archive, name, CASES[name].role)
  const server = await startServer(archive)
  try {
    const one = async (name: Case) => {
      const headers = await signIn(server, name)
      const path = () => CASES[name].path
      const pids = async () => [server.pid]
      return load({ port: server.port, path, headers, pids }, 1, milliseconds)
    }
    const turn = async () => ({ list: await one('list'), dashboard: await one('dashboard') })
    // Pools and plans are warm afterwards.
    await turn()
    const exclusively = [await turn(), await turn()]
    const during: Record<Case, Sample>[] = []
    let isOver = false
    const swept = sweep().finally(() => (isOver = true))
    while (!isOver) {
      const found = await turn()
      // The sweep ended within the last turn.
      if (!isOver || during.length === 0) during.push(found)
    }
    await swept
    const middle = (mutex: readonly Record<Case, Sample>[], name: Case): Times => ({
      p50: median(mutex.map((each) => each[name].p50)),
      p99: median(mutex.map((each) => each[name].p99)),
    })
    const both = (name: Case) => ({ exclusively: middle(exclusively, name), during: middle(during, name) })
    return { list: both('list'), dashboard: both('dashboard') }
  } finally {
    await server.stop()
  }
}

const run = promisify(execFile)
const PROGRAM = fileURLToPath(new URL('./retention-sweep.ts', import.meta.url))

/** Types of the policy, which a filled archive has. */
const TYPES = ['Call', 'SMS'] as const
/** Indexes of a schema whose lists, sweeps and totals find rows by state; each change of state updates them. */
const STATE_INDEXES = [
  'create index bench_state on payloads (client_id, service, state, payload_time, payload_id)',
  'create index bench_state_of_group on payloads (client_id, group_id, state, payload_time, payload_id)',
  'create index bench_state_of_phone on payloads (client_id, device_id, state, payload_time, payload_id)',
]

interface RetentionCost {
  per_second: number
  deleted: number
  /** Bytes of the database's log for each. */
  log_bytes: number
  /** Microseconds of CPU of PostgreSQL for each. */
  cpu_us: number
}

/**
 * How fast retention deletes all payloads of an archive, with audit, trails, locks and counts, compared with the same work on a schema whose
 * indexes contain the state. Each side has an archive of its own, and both take turns.
 */
export async function measureRetention({ options, facts, file, say }: BenchContext): Promise<void> {
  const { rounds } = options
  const pairs: { ours: RetentionCost; indexed: RetentionCost }[] = []
  const sweep = (indexes: readonly string[]) => withPolicy(options, indexes, say, runSweep)
  for (let round = 1; round <= rounds; round++) {
    say(`Round ${round} of ${rounds} …`)
    // The second side finds warm caches: the sides alternate.
    const first = await sweep(round % 2 === 0 ? STATE_INDEXES : [])
    const second = await sweep(round % 2 === 0 ? [] : STATE_INDEXES)
    pairs.push(round % 2 === 0 ? { ours: second, indexed: first } : { ours: first, indexed: second })
  }
  say('Lists and dashboard during the sweep …')
  const requests = await withPolicy(options, [], say, (archive) =>
    measureRequests(archive, options.retention_milliseconds, () => runSweep(archive)),
  )
  const of = (side: 'ours' | 'indexed', figure: keyof RetentionCost) =>
    median(pairs.map((pair) => pair[side][figure]))
  const ratios = pairs.map(({ ours, indexed }) => ours.per_second / indexed.per_second)
  console.log(`
Deleted by retention:   ${of('ours', 'per_second').toFixed(0)} a second of ${of('ours', 'deleted')}, ${of('ours', 'log_bytes').toFixed(0)} bytes of log each
CPU of PostgreSQL:      ${of('ours', 'cpu_us').toFixed(0)} µs each; with state in indexes ${of('indexed', 'cpu_us').toFixed(0)} µs
With state in indexes:  ${of('indexed', 'per_second').toFixed(0)} a second, ${of('indexed', 'log_bytes').toFixed(0)} bytes of log each
Ratio:                  ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})
Load of the machine:    ${loadavg()[0]?.toFixed(1)}`)
  for (const [name, { exclusively, during }] of Object.entries(requests))
    console.log(
      `${name} during the sweep / alone: p50 ${during.p50.toFixed(1)} / ${exclusively.p50.toFixed(1)} ms (${(during.p50 / exclusively.p50).toFixed(2)} ×), p99 ${during.p99.toFixed(1)} / ${exclusively.p99.toFixed(1)} ms (${(during.p99 / exclusively.p99).toFixed(2)} ×)`,
    )
  writeFileSync(file, `${JSON.stringify({ title: 'Retention', ...facts, pairs, requests }, undefined, 2)}\n`)
}

async function withPolicy<Result>(
  { rows, groups, retention_devices }: Options,
  indexes: readonly string[],
  say: (step: string) => void,
  work: (archive: Archive) => Promise<Result>,
): Promise<Result> {
  const archive = await makeArchive({ rows, groups, devices: retention_devices, until: UNTIL }, say)
  try {
    for (const index of indexes) await archive.owner.query(index)
    await archive.owner.query(POLICY, [archive.client_id, JSON.stringify(ENTRIES)])
    await archive.owner.query('vacuum analyze')
    return await work(archive)
  } finally {
    await archive.stop()
  }
}

const ENTRIES = TYPES.map((payload_type) => ({
  entity_type: 'Payload',
  payload_type,
  retention_timestamp: 'payload_time',
  delete_after_days: 0,
  required_receipts: [],
  required_transfers: [],
}))
const POLICY = `
  insert into retention_policies (client_id, policy_version, entries, minimums, applies_to_kept, at, by)
  values ($1, 1, $2, '[]', true, 0, 'bench')`

async function runSweep({ connection, folder, owner, client_id }: Archive): Promise<RetentionCost> {
  const logPosition = async () =>
    (await owner.query<{ at: string }>('select pg_current_wal_lsn() as at')).rows[0]?.at ?? ''
  const before = await logPosition()
  const { stdout } = await run(process.execPath, [PROGRAM], {
    env: {
      ...process.env,
      DATABASE_URL: connection,
      CUSTODIA_DATA: join(folder, 'data'),
      CLIENT_ID: String(client_id),
    },
  })
  const { deleted, seconds, cpu } = JSON.parse(stdout) as { deleted: number; seconds: number; cpu: number }
  const cpu_us = (cpu * 1000) / deleted
  const { rows } = await owner.query<{ bytes: string }>('select pg_wal_lsn_diff($1, $2) as bytes', [
    await logPosition(),
    before,
  ])
  return { per_second: deleted / seconds, deleted, log_bytes: Number(rows[0]?.bytes ?? 0) / deleted, cpu_us }
}
