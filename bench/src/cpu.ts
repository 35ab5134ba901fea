import { readFileSync } from 'node:fs'

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

/** What Linux says of a process from its state on; undefined when it has ended. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in brackets and may itself hold blanks: count from its end.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
