import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The operating system's facts about a process. */
export interface ProcessState {
  command: string
  /** Opaque start time: distinguishes a process from a later one with the same id. */
  started: string
}

/** The state of a process, or null when it does not run (zombies included). */
export function processState(pid: number): ProcessState | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  return process.platform === 'linux' ? stateFromProc(pid) : statFromPs(pid)
}

function stateFromProc(pid: number): ProcessState | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // proc(5): the second field is a name in brackets that may contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return null
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return { command, started: fields[19] ?? '' }
  } catch {
    return null
  }
}

function statFromPs(pid: number): ProcessState | null {
  const ps = spawnSync('ps', ['-o', 'stat=', '-o', 'lstart=', '-o', 'command=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const match = /^\s*(\S+)\s+(\w+ \w+ +\d+ [\d:]+ \d+)\s+(.*)/.exec(ps.stdout ?? '')
  if (!match || match[1]?.startsWith('Z')) return null
  return { started: match[2] ?? '', command: match[3] ?? '' }
}
