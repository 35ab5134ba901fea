import { existsSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'

/** The operating system user of PostgreSQL. */
export interface RunAs {
  uid: number
  gid: number
  /** True when we are root and step down to this user. */
  steps_down: boolean
}

/** PostgreSQL refuses to run as root, so root runs it as another user; other users run it as themselves. */
export function postgresUser(): RunAs {
  const { uid, gid } = userInfo()
  if (uid !== 0) return { uid, gid, steps_down: false }
  const passwd = readFileSync('/etc/passwd', 'utf8')
  for (const name of ['postgres', 'nobody']) {
    const match = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(passwd)
    if (match) return { uid: Number(match[1]), gid: Number(match[2]), steps_down: true }
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody to run it as. ' +
      'Start the server as another user, or set DATABASE_URL.',
  )
}

/** Throws, naming the folder, unless the user can reach `path` through every folder above it. */
export function assertReachable(path: string, user: RunAs): void {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const stat = statSync(folder)
    const bit = stat.uid === user.uid ? 0o100 : stat.gid === user.gid ? 0o010 : 0o001
    if (stat.isDirectory() && (stat.mode & bit) === 0) {
      const mode = (stat.mode & 0o777).toString(8)
      throw new Error(
        `PostgreSQL runs as user ${user.uid}, who cannot enter ${folder} (mode ${mode}) on the way to ${path}. ` +
          'Move the data folder or the checkout, allow it with chmod o+x, or set DATABASE_URL.',
      )
    }
    if (folder === dirname(folder)) return
  }
}

/** How programs are started as PostgreSQL's user. */
export interface Launcher {
  /** Program and arguments to spawn for a program and its arguments. */
  command(program: string, args: readonly string[]): [program: string, args: string[]]
  /** The user to spawn them as. */
  ids: { uid?: number; gid?: number }
}

/** Part of util-linux, so wherever root steps down on Linux. */
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv']

/**
 * Starts programs as PostgreSQL's user. When that user cannot enter a folder on the way to `paths` (a
 * checkout in root's home), the programs get only the capability to pass through folders and read. Without
 * setpriv it throws, naming the folder.
 */
export function launcherFor(
  user: RunAs,
  paths: readonly string[],
  setpriv = SETPRIV.find((path) => existsSync(path)),
): Launcher {
  const direct = (program: string, args: readonly string[]): [string, string[]] => [program, [...args]]
  if (!user.steps_down) {
    for (const path of paths) assertReachable(path, user)
    return { command: direct, ids: {} }
  }
  try {
    for (const path of paths) assertReachable(path, user)
    return { command: direct, ids: { uid: user.uid, gid: user.gid } }
  } catch (error) {
    if (!setpriv) throw error
    return { command: (program, args) => [setpriv, [...passage(user), program, ...args]], ids: {} }
  }
}

// initdb asks access(2), which honours capabilities of a changed user only with no_setuid_fixup.
const passage = ({ uid, gid }: RunAs): string[] => [
  `--reuid=${uid}`,
  `--regid=${gid}`,
  '--clear-groups',
  '--inh-caps=+dac_read_search',
  '--ambient-caps=+dac_read_search',
  '--securebits=+no_setuid_fixup',
]
