import type { SFTPWrapper } from 'ssh2'
import { TargetProblem } from './port.ts'
import type { SftpConnection } from './sftp-connect.ts'

/** Status codes of the protocol that the product acts on. */
const END = 1
const NO_SUCH_FILE = 2
const PERMISSION_DENIED = 3
const FAILURE = 4
/** The library's own code, when the server does not answer. */
const NONE = -1
const NO_SPACE = new Set([14, 15])

type Callback<T> = (error?: Error | null, value?: T) => void

/**
 * SFTP calls as promises that settle: with the response, when the connection is lost, or when the server is
 * silent.
 */
export class SftpFiles {
  private readonly connection: SftpConnection
  private readonly silence: number

  private readonly waiting = new Set<(problem: TargetProblem) => void>()
  private ended: TargetProblem | undefined
  private timer: NodeJS.Timeout | undefined

  /** `silence`: milliseconds without a response, after which the server times out. */
  constructor(connection: SftpConnection, silence: number) {
    this.connection = connection
    this.silence = silence
    connection.onLost((problem) => this.end(problem))
  }

  /** Rejects with the protocol's error, whose `code` gives the reason, or with TargetProblem. */
  call<T>(work: (sftp: SFTPWrapper, done: Callback<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.ended) return reject(this.ended)
      this.waiting.add(reject)
      this.timer ??= setTimeout(
        () => this.end(new TargetProblem('timeout', 'the server fell silent')),
        this.silence,
      )
      work(this.connection.sftp, (error, value) => {
        this.answered(reject)
        if (error) reject(error)
        else resolve(value as T)
      })
    })
  }

  private answered(who: (problem: TargetProblem) => void): void {
    if (!this.waiting.delete(who)) return
    if (this.waiting.size > 0) return void this.timer?.refresh()
    clearTimeout(this.timer)
    this.timer = undefined
  }

  private end(problem: TargetProblem): void {
    this.ended ??= problem
    clearTimeout(this.timer)
    for (const reject of this.waiting) reject(problem)
    this.waiting.clear()
    this.connection.cut()
  }

  open = (path: string, flags: 'w+' | 'r'): Promise<Buffer> =>
    this.call((sftp, done) => sftp.open(path, flags, done))
  close = (handle: Buffer): Promise<void> => this.call((sftp, done) => sftp.close(handle, done))
  unlink = (path: string): Promise<void> => this.call((sftp, done) => sftp.unlink(path, done))
  mkdir = (path: string): Promise<void> => this.call((sftp, done) => sftp.mkdir(path, done))

  /** Writes a piece; its requests do not wait for each other. */
  async write(handle: Buffer, piece: Buffer, at: number): Promise<void> {
    const most = mostBytes(this.connection.sftp)
    const requests: Promise<void>[] = []
    for (let from = 0; from < piece.length; from += most) {
      const length = Math.min(most, piece.length - from)
      requests.push(this.call((sftp, done) => sftp.write(handle, piece, from, length, at + from, done)))
    }
    // The piece stays in use until the last request ends.
    for (const end of await Promise.allSettled(requests)) if (end.status === 'rejected') throw end.reason
  }

  /** Reads from `at` on, as much as the server returns; resolves to the number of bytes, 0 at the end. */
  read = (handle: Buffer, into: Buffer, at: number): Promise<number> =>
    this.call((sftp, done) =>
      sftp.read(handle, into, 0, into.length, at, (error, bytes) => {
        // The end of a file is an error code of its own.
        if (error && (error as { code?: number }).code === END) return done(null, 0)
        done(error, bytes)
      }),
    )

  async isFolder(path: string): Promise<boolean> {
    try {
      return await this.call((sftp, done) =>
        sftp.stat(path, (error, found) => done(error, error ? false : found.isDirectory())),
      )
    } catch (error) {
      if (getCode(error) === NO_SUCH_FILE) return false
      throw error
    }
  }

  /** Syncs written bytes to the server's disk, where the server supports it. */
  sync = (handle: Buffer): Promise<void> =>
    this.call((sftp, done) => extension(() => sftp.ext_openssh_fsync(handle, done), done))

  /**
   * Renames a file in one step, replacing an existing one. Servers without the OpenSSH extension need two.
   */
  async rename(from: string, to: string): Promise<void> {
    let known = true
    await this.call<void>((sftp, done) =>
      extension(
        () => sftp.ext_openssh_rename(from, to, done),
        () => {
          known = false
          done()
        },
      ),
    )
    if (known) return
    await this.unlink(to).catch((error: unknown) => {
      if (getCode(error) !== NO_SUCH_FILE) throw error
    })
    await this.call<void>((sftp, done) => sftp.rename(from, to, done))
  }

  /** Free bytes on a folder's disk; undefined when the server does not say. */
  async space(folder: string): Promise<number | undefined> {
    type Space = { f_bavail: number; f_frsize: number }
    const found = await this.call<Space | undefined>((sftp, done) =>
      // Missing in the types; the library has it.
      extension(() => (sftp as unknown as Statvfs).ext_openssh_statvfs(folder, done), done),
    ).catch(() => undefined)
    return found && Number(found.f_bavail) * Number(found.f_frsize)
  }

  /** The transfer problem for a protocol error of a write in `folder`. */
  async result(error: unknown, folder: string): Promise<TargetProblem> {
    if (error instanceof TargetProblem) return error
    const code = getCode(error)
    const options = { cause: error }
    if (code === NONE) return new TargetProblem('connection_lost', '', options)
    if (code === PERMISSION_DENIED) return new TargetProblem('permission_denied', folder, options)
    if (code === NO_SUCH_FILE) return new TargetProblem('no_such_folder', folder, options)
    // OpenSSH only reports "Failure" when its disk is full.
    const isFull =
      NO_SPACE.has(code) || (code === FAILURE && ((await this.space(folder)) ?? Infinity) < FULL_BELOW)
    if (isFull) return new TargetProblem('no_space', folder, options)
    return new TargetProblem('refused', error instanceof Error ? error.message : '', options)
  }
}

/** Bytes of a write that the server accepts, as the library knows them; it would split longer ones one after another. */
const mostBytes = (sftp: SFTPWrapper): number =>
  (sftp as unknown as { _maxWriteLen?: number })._maxWriteLen ?? 32_000

/** Bytes: a disk with less free space may have refused a write in transit. */
const FULL_BELOW = 1 << 20

interface Statvfs {
  ext_openssh_statvfs(path: string, done: Callback<{ f_bavail: number; f_frsize: number }>): void
}

/** The library throws at once for extensions that the server did not announce. */
function extension(work: () => void, otherwise: () => void): void {
  try {
    work()
  } catch {
    otherwise()
  }
}

const getCode = (error: unknown): number => (error as { code?: number }).code ?? NONE
