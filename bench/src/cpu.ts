import { readFileSync } from 'node:fs'

/** Clock ticks per second of /proc/*\/stat; 100 on every Linux that Node supports. */
const TICKS = 100

/** CPU milliseconds that these processes have used so far, user and system; those that have ended count nothing. */
export function cpuMilliseconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ofProcess(pid), 0)
}

function ofProcess(pid: number): number {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return 0
  }
  // The second field is the program's name in brackets and may itself hold blanks: count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS
}
