import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'

/** Clock ticks per second of /proc/*\/stat; 100 on every Linux that Node supports. */
const TICKS = 100

/** CPU milliseconds that these processes have used so far, user and system; those that have ended count nothing. */
export function cpuMilliseconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ofProcess(pid), 0)
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
  const fields = statOf(pid)
  return ((Number(fields?.[13] ?? 0) + Number(fields?.[14] ?? 0)) * 1000) / TICKS
}

function ofProcess(pid: number): number {
  const fields = statOf(pid)
  return ((Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)) * 1000) / TICKS
}

/** The process that started the connection's own one. */
export async function postmasterOf(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query<{ pid: number }>('select pg_backend_pid() as pid')
  return Number(statOf(rows[0]?.pid ?? 0)?.[1] ?? 0)
}

/** These processes with all their descendants. */
export function familyOf(roots: readonly number[]): number[] {
  const family = new Set(roots)
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = pids.map((pid) => [Number(pid), Number(statOf(Number(pid))?.[1])] as const)
  for (let size = 0; size < family.size;) {
    size = family.size
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid)
  }
  return [...family]
}

/** The fields of a process from its state on; undefined when it has ended. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in brackets, which may contain blanks.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
