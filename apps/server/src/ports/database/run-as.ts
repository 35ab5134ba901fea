import { readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'

/** The operating system user that PostgreSQL runs as. */
export interface RunAs {
  uid: number
  gid: number
  /** True when we are root and step down to this user. */
  steps_down: boolean
}

/** PostgreSQL refuses to run as root, so root steps down to `postgres`, else `nobody`; anybody else stays who he is. */
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

/** Throws, naming the folder at fault, unless the user may reach `path` through every folder above it. */
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
