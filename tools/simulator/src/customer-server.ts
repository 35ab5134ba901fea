import { createHash, timingSafeEqual } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join, normalize } from 'node:path/posix'
import ssh2, { type AuthContext, type Connection, type SFTPWrapper } from 'ssh2'

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp
/** Maximum bytes per READ response. */
const MAX = 256 * 1024
const STATUS_OF: Record<string, number> = {
  ENOENT: STATUS_CODE.NO_SUCH_FILE,
  EACCES: STATUS_CODE.PERMISSION_DENIED,
  EPERM: STATUS_CODE.PERMISSION_DENIED,
}

/** A directory handle: lists its names once, then reports the end. */
interface Listing {
  names: string[] | undefined
  path: string
}

/** Serves a folder's files over SFTP; `/` is the folder, and no path leaves it. */
function serveFiles(sftp: SFTPWrapper, folder: string): void {
  // The path becomes absolute before it is normalised: `..` stops at the root.
  const within = (path: string) => join(folder, normalize(join('/', path)))
  const replies = getReplies(sftp)
  const handles = openHandles()
  serveContents(sftp, within, handles, replies)
  serveNames(sftp, within, replies)
  serveListings(sftp, within, handles, replies)
  sftp.on('end', handles.close)
  sftp.on('close', handles.close)
  sftp.on('error', () => undefined)
}

type ResolvePath = (path: string) => string

/** The files and directories that a connection has open. */
function openHandles() {
  const opened = new Map<number, FileHandle | Listing>()
  let last = 0
  const keep = (what: FileHandle | Listing): Buffer => {
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(++last)
    opened.set(last, what)
    return handle
  }
  const getNumber = (handle: Buffer) => (handle.length === 4 ? handle.readUInt32BE() : 0)
  const getFile = (handle: Buffer): FileHandle => {
    const found = opened.get(getNumber(handle))
    if (!found || 'path' in found) throw new Error('no such handle')
    return found
  }
  const close = () => {
    for (const each of opened.values()) if (!('path' in each)) void each.close().catch(() => undefined)
    opened.clear()
  }
  return { opened, getNumber, keep, getFile, close }
}

type Handles = ReturnType<typeof openHandles>

function getReplies(sftp: SFTPWrapper) {
  /** Handles one request; an error becomes its status. */
  const answer = (id: number, work: () => Promise<void>) => {
    work().catch((error: unknown) =>
      sftp.status(id, STATUS_OF[(error as NodeJS.ErrnoException).code ?? ''] ?? STATUS_CODE.FAILURE),
    )
  }
  const done = (id: number, work: () => Promise<unknown>) =>
    answer(id, async () => {
      await work()
      sftp.status(id, STATUS_CODE.OK)
    })
  return { answer, done }
}

type Replies = ReturnType<typeof getReplies>

function serveContents(
  sftp: SFTPWrapper,
  within: ResolvePath,
  { opened, getNumber, keep, getFile }: Handles,
  { answer, done }: Replies,
): void {
  sftp.on('OPEN', (id, path, flags) =>
    answer(id, async () => sftp.handle(id, keep(await open(within(path), getFlags(flags), 0o600)))),
  )
  sftp.on('READ', (id, handle, offset, length) =>
    answer(id, async () => {
      const { bytesRead, buffer } = await getFile(handle).read(
        Buffer.alloc(Math.min(length, MAX)),
        0,
        Math.min(length, MAX),
        offset,
      )
      if (bytesRead === 0) sftp.status(id, STATUS_CODE.EOF)
      else sftp.data(id, buffer.subarray(0, bytesRead))
    }),
  )
  sftp.on('WRITE', (id, handle, offset, data) =>
    done(id, () => getFile(handle).write(data, 0, data.length, offset)),
  )
  sftp.on('FSTAT', (id, handle) =>
    answer(id, async () => sftp.attrs(id, getAttributes(await getFile(handle).stat()))),
  )
  sftp.on('CLOSE', (id, handle) =>
    done(id, async () => {
      const found = opened.get(getNumber(handle))
      opened.delete(getNumber(handle))
      if (found && !('path' in found)) await found.close()
    }),
  )
}

function serveNames(sftp: SFTPWrapper, within: ResolvePath, { answer, done }: Replies): void {
  sftp.on('STAT', (id, path) =>
    answer(id, async () => sftp.attrs(id, getAttributes(await stat(within(path))))),
  )
  sftp.on('LSTAT', (id, path) =>
    answer(id, async () => sftp.attrs(id, getAttributes(await lstat(within(path))))),
  )
  sftp.on('MKDIR', (id, path) => done(id, () => mkdir(within(path), 0o700)))
  sftp.on('RMDIR', (id, path) => done(id, () => rmdir(within(path))))
  sftp.on('REMOVE', (id, path) => done(id, () => unlink(within(path))))
  sftp.on('RENAME', (id, from, to) => done(id, () => rename(within(from), within(to))))
  sftp.on('REALPATH', (id, path) => {
    const filename = normalize(join('/', path))
    sftp.name(id, [{ filename, longname: filename, attrs: getAttributes() }])
  })
}

function serveListings(
  sftp: SFTPWrapper,
  within: ResolvePath,
  { opened, getNumber, keep }: Handles,
  { answer }: Replies,
): void {
  sftp.on('OPENDIR', (id, path) =>
    answer(id, async () => {
      const names = await readdir(within(path))
      sftp.handle(id, keep({ names, path: within(path) }))
    }),
  )
  sftp.on('READDIR', (id, handle) =>
    answer(id, async () => {
      const found = opened.get(getNumber(handle))
      if (!found || !('path' in found) || found.names === undefined)
        return void sftp.status(id, STATUS_CODE.EOF)
      const { names, path } = found
      found.names = undefined
      const entries = await Promise.all(
        names.map(async (filename) => ({
          filename,
          longname: filename,
          attrs: getAttributes(await lstat(join(path, filename)).catch(() => undefined)),
        })),
      )
      sftp.name(id, entries)
    }),
  )
}

/** `open` flags for the protocol's flags (draft-ietf-secsh-filexfer-02, section 6.3). */
function getFlags(flags: number): number {
  const has = (mode: number, flag: number) => ((flags & mode) === 0 ? 0 : flag)
  const both = OPEN_MODE.READ | OPEN_MODE.WRITE
  const way =
    (flags & both) === both
      ? constants.O_RDWR
      : has(OPEN_MODE.WRITE, constants.O_WRONLY) || constants.O_RDONLY
  return (
    way |
    has(OPEN_MODE.CREAT, constants.O_CREAT) |
    has(OPEN_MODE.TRUNC, constants.O_TRUNC) |
    has(OPEN_MODE.EXCL, constants.O_EXCL) |
    constants.O_NOFOLLOW
  )
}

const getAttributes = ({ mode, size, atimeMs, mtimeMs }: Partial<Stats> = {}) => ({
  mode: mode ?? 0,
  uid: 0,
  gid: 0,
  size: size ?? 0,
  atime: Math.floor((atimeMs ?? 0) / 1000),
  mtime: Math.floor((mtimeMs ?? 0) / 1000),
})

/** Settings of the customer's server. */
interface CustomerServerOptions {
  /** Folder served as `/`. */
  folder: string
  /** 0: any free port. */
  port: number
  username: string
  password: string
  /** Private host key from `hostKey`. */
  host_key: string
}

export interface CustomerServer {
  host: string
  port: number
  /** Fingerprint of the host key, as in `ssh-keygen -l`. */
  fingerprint: string
  close(): Promise<void>
}

const HOST = '127.0.0.1'

/** Creates a private host key: P-256, because the library cannot read one in 256 of its own Ed25519 keys. */
export const hostKey = (): string => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private

/**
 * The simulated customer's storage: an SFTP server (version 3) on loopback with one user. Serves files of its folder
 * only, without OpenSSH extensions. Rejects when the port is in use.
 */
export async function startCustomerServer(options: CustomerServerOptions): Promise<CustomerServer> {
  const key = ssh2.utils.parseKey(options.host_key)
  if (key instanceof Error) throw key
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  const open = new Set<Connection>()
  const server = new ssh2.Server({ hostKeys: [options.host_key] }, (connection) => {
    open.add(connection)
    // Requests are small and sequential, so Nagle's algorithm would delay them. The library's types lack the method.
    ;(connection as Connection & { setNoDelay(isOn: boolean): void }).setNoDelay(true)
    connection.on('close', () => open.delete(connection))
    // A broken or non-SSH connection must not end the server.
    connection.on('error', () => undefined)
    connection.on('authentication', (context) => authenticate(context, options))
    connection.on('ready', () =>
      connection.on('session', (accept) =>
        accept().on('sftp', (take) => {
          serveFiles(take(), options.folder)
        }),
      ),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, HOST, resolve)
  })
  server.unref()
  return {
    host: HOST,
    port: (server.address() as AddressInfo).port,
    fingerprint: `SHA256:${createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const connection of open) connection.end()
      }),
  }
}

function authenticate(context: AuthContext, { username, password }: CustomerServerOptions): void {
  if (context.method !== 'password') return context.reject(['password'])
  const isRight = [isSame(context.username, username), isSame(context.password, password)]
  if (isRight.every(Boolean)) context.accept()
  else context.reject(['password'])
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const isSame = (given: string, right: string) => timingSafeEqual(digest(given), digest(right))
