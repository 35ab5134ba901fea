import { createHash } from 'node:crypto'
import { chownSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertReachable, type RunAs } from './run-as.ts'

/** `sun_path` has 108 bytes on Linux and 104 on macOS, with the closing zero. */
const MAX_SOCKET_PATH = process.platform === 'linux' ? 107 : 103

/** Port in the socket's file name; no TCP port is opened. */
export const SOCKET_PORT = 5432

/**
 * Makes the private folder (mode 0700) for one data folder's socket: short, because socket paths are limited,
 * and owned by PostgreSQL's user, so that only this user and root can connect.
 */
export function socketFolder(dataDir: string, user: RunAs): string {
  const folder = socketFolderName(dataDir)
  const socket = join(folder, `.s.PGSQL.${SOCKET_PORT}.lock`)
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH) {
    throw new Error(
      `The socket path ${socket} is longer than ${MAX_SOCKET_PATH} bytes: set TMPDIR to a shorter one.`,
    )
  }
  try {
    mkdirSync(folder, { mode: 0o700 })
    if (user.steps_down) chownSync(folder, user.uid, user.gid)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    // The temporary folder is shared: another user may have made this folder first to read along.
    const stat = lstatSync(folder)
    if (!stat.isDirectory() || stat.uid !== user.uid || (stat.mode & 0o077) !== 0) {
      throw new Error(
        `${folder} exists but is not a private folder of user ${user.uid}: remove it and start again.`,
      )
    }
  }
  assertReachable(folder, user)
  return folder
}

export function socketFolderName(dataDir: string): string {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  return join(tmpdir(), `custodia-${hash}`)
}
