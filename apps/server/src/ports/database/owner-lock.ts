import { spawnSync } from 'node:child_process'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** The operating system's facts about a process. */
interface ProcessState {
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

/** Two servers that find the same stale lock both replace it; each waits this long to see which came last. */
const SETTLE_MS = 100

/**
 * Takes a pid file, so that a second server on one data folder refuses to start; it would stop the first
 * one's PostgreSQL as an orphan. Replaces a lock whose process is gone. Throws when a living process holds
 * it.
 * @returns a function that releases the lock
 */
export async function takeOwnerLock(path: string): Promise<() => void> {
  const mine = JSON.stringify({ pid: process.pid, started: processState(process.pid)?.started ?? '' })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, mine, { mode: 0o600 })
  try {
    // link(2) fails if the name is taken and publishes the whole content at once.
    linkSync(draft, path)
    rmSync(draft)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    const holder = lockHolder(path)
    if (holder !== null) {
      rmSync(draft)
      throw inUse(path, holder)
    }
    renameSync(draft, path)
    await sleep(SETTLE_MS)
    if (read(path) !== mine) throw inUse(path, lockHolder(path))
  }
  return () => {
    if (read(path) === mine) rmSync(path)
  }
}

/** The living process that holds a lock, or null. */
export function lockHolder(path: string): number | null {
  const match = /"pid":(\d+),"started":"([^"]*)"/.exec(read(path))
  if (!match) return null
  const pid = Number(match[1])
  return processState(pid)?.started === match[2] ? pid : null
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function inUse(path: string, pid: number | null): Error {
  const holder = pid === null ? 'another process' : `process ${pid}`
  return new Error(`The database folder is in use by ${holder} (lock ${path}). Stop that server first.`)
}
