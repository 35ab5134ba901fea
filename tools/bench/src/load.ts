import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type pg from 'pg'

/** Clock ticks per second of /proc/*\/stat; 100 on every Linux that Node supports. */
const TICKS = 100

/** CPU milliseconds that these processes have used so far, user and system, with their children that have ended. */
export function cpuMilliseconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ofProcess(pid) + cpuOfEnded(pid), 0)
}

/** CPU milliseconds that each of these processes has used so far. */
export function cpuOfEach(pids: readonly number[]): Map<number, number> {
  return new Map(pids.map((pid) => [pid, ofProcess(pid)]))
}

/** CPU milliseconds that these processes have used since: one that began meanwhile whole, one that ended nothing. */
export function cpuSince(before: ReadonlyMap<number, number>, pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Math.max(0, ofProcess(pid) - (before.get(pid) ?? 0)), 0)
}

/** CPU milliseconds that the children of a process had used when they ended. */
export function cpuOfEnded(pid: number): number {
  const fields = getStat(pid)
  return ((Number(fields?.[13] ?? 0) + Number(fields?.[14] ?? 0)) * 1000) / TICKS
}

function ofProcess(pid: number): number {
  const fields = getStat(pid)
  return ((Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)) * 1000) / TICKS
}

/** The process that started the connection's own one. */
export async function getPostmaster(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query<{ pid: number }>('select pg_backend_pid() as pid')
  return Number(getStat(rows[0]?.pid ?? 0)?.[1] ?? 0)
}

/** These processes with all their descendants. */
export function getFamily(roots: readonly number[]): number[] {
  const family = new Set(roots)
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = pids.map((pid) => [Number(pid), Number(getStat(Number(pid))?.[1])] as const)
  for (let size = 0; size < family.size;) {
    size = family.size
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid)
  }
  return [...family]
}

/** The fields of a process from its state on; undefined when it has ended. */
function getStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in brackets, which may contain blanks.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** The value below which a share of some figures lies. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** What one run measured. */
export interface Sample {
  requests: number
  per_second: number
  p50: number
  p99: number
  /** Milliseconds of CPU per request, of the server and its database connections. */
  cpu: number
}

/** Measures both sides of a case. The second side finds warm caches, so the sides alternate from round to round. */
export async function bothSides(
  round: number,
  subject: () => Promise<Sample>,
  floor: () => Promise<Sample>,
): Promise<{ subject: Sample; floor: Sample }> {
  const early = round % 2 === 0 ? await subject() : undefined
  const other = await floor()
  return { subject: early ?? (await subject()), floor: other }
}

interface Target {
  port: number
  path: () => string
  headers: Record<string, string>
  /** Sent by POST; without one it is a GET. */
  body?: string
  /** Processes that do the work. */
  pids: () => Promise<readonly number[]>
}

/** Reads one answer whole. Throws on any status but 200 and 206. */
export function fetchBytes(target: Omit<Target, 'pids'>, agent?: Agent): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { port, headers, body: sent } = target
    const method = sent === undefined ? 'GET' : 'POST'
    request({ port, host: '127.0.0.1', path: target.path(), method, headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        if (response.statusCode === 200 || response.statusCode === 206) resolve(body)
        else reject(new Error(`${target.path()}: ${response.statusCode}: ${body.toString().slice(0, 500)}`))
      })
    })
      .on('error', reject)
      .end(sent)
  })
}

/** Requests per connection before a measurement, and its most milliseconds: PostgreSQL plans the first uses of a statement. */
const [WARM_UP, WARM_UP_MS] = [10, 400]
/** Requests that were warmed up, by server and person. */
const warm = new Set<string>()

/**
 * Sends requests over so many connections for so long, at least one over each, the first time after a warm-up. A connection
 * sends one request at a time.
 */
export async function load(target: Target, connections: number, milliseconds: number): Promise<Sample> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const onEach = (client: () => Promise<void>) =>
    Promise.all(Array.from({ length: connections }, () => client()))
  const begun = performance.now()
  const name = [target.port, target.headers['user-agent'], target.path(), target.body].join(' ')
  if (milliseconds > WARM_UP && !warm.has(name))
    await onEach(async () => {
      for (let n = 0; n < WARM_UP && performance.now() - begun < WARM_UP_MS; n++)
        await fetchBytes(target, agent)
    })
  warm.add(name)
  const taken: number[] = []
  const before = cpuOfEach(await target.pids())
  const started = performance.now()
  const client = async () => {
    do {
      const at = performance.now()
      await fetchBytes(target, agent)
      taken.push(performance.now() - at)
    } while (performance.now() - started < milliseconds)
  }
  await onEach(client)
  const elapsed = performance.now() - started
  const cpu = cpuSince(before, await target.pids())
  agent.destroy()
  return {
    requests: taken.length,
    per_second: (taken.length * 1000) / elapsed,
    p50: quantile(taken, 0.5),
    p99: quantile(taken, 0.99),
    cpu: cpu / taken.length,
  }
}
