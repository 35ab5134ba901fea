import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { postgresUser } from '../ports/database/run-as.ts'
import { until } from './waits.ts'

const PACKAGES = '/usr/lib/postgresql'

/** Folder of the programs of Debian's newest PostgreSQL; undefined if it is not installed. */
export function debianPostgres(): string | undefined {
  if (!existsSync(PACKAGES)) return undefined
  const majors = readdirSync(PACKAGES).map(Number).filter(Boolean)
  const bin = join(PACKAGES, String(Math.max(...majors)), 'bin')
  return ['initdb', 'pg_basebackup'].every((program) => existsSync(join(bin, program))) ? bin : undefined
}

/** A PostgreSQL server of Debian, as an operator runs it next to Custodia. */
export interface DebianServer {
  /** Temporary folder with its sockets; `stop` removes it. */
  folder: string
  data: string
  /** Connection string of its superuser, `owner`. */
  url: string
  /** Runs one of Debian's programs as the server's user. Throws when it fails. */
  run(program: string, ...args: string[]): void
  /** Runs pg_ctl on a data folder. */
  control(data: string, ...args: string[]): void
  /** Runs statements as the superuser of a server in this folder. Resolves to the rows of the last one. */
  sql<Row>(statement: string, port?: number): Promise<Row[]>
  /** Stops every server with data in the folder, and removes the folder. */
  stop(): void
}

/** Starts a server in a temporary folder, on a private socket. `more` are lines of postgresql.conf. */
export function startDebianServer(...more: string[]): DebianServer {
  const bin = debianPostgres()
  if (!bin) throw new Error('PostgreSQL is not installed')
  const user = postgresUser()
  const folder = mkdtempSync(join(tmpdir(), 'custodia-debian-'))
  chmodSync(folder, 0o755)
  chownSync(folder, user.uid, user.gid)
  const run = (program: string, ...args: string[]) => {
    const options = { uid: user.uid, gid: user.gid, cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const
    const { status, stderr } = spawnSync(join(bin, program), args, options)
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`)
  }
  const control = (data: string, ...args: string[]) =>
    run('pg_ctl', '-D', data, '-l', `${data}.log`, '-w', ...args)
  const stop = () => {
    for (const name of readdirSync(folder).toReversed())
      if (existsSync(join(folder, name, 'postmaster.pid')))
        control(join(folder, name), 'stop', '-m', 'immediate')
    rmSync(folder, { recursive: true, force: true })
  }
  const data = join(folder, 'primary')
  try {
    run('initdb', '-D', data, '-U', 'owner', '-E', 'UTF8', '--locale=C.UTF-8', '--auth=trust', '-N')
    const settings = `listen_addresses = ''\nunix_socket_directories = '${folder}'\nmax_connections = 60\nfsync = off\n`
    appendFileSync(join(data, 'postgresql.conf'), `${settings}port = 5432\n${more.join('\n')}\n`)
    control(data, 'start')
  } catch (error) {
    stop()
    throw error
  }
  return {
    folder,
    data,
    url: socketUrl(folder),
    run,
    control,
    stop,
    async sql<Row>(statement: string, port = 5432) {
      const client = new pg.Client(socketUrl(folder, { port }))
      await client.connect()
      try {
        return (await client.query(statement)).rows as Row[]
      } finally {
        await client.end()
      }
    },
  }
}

/** Connection string of a server with its socket in the folder. */
export const socketUrl = (
  folder: string,
  { user = 'owner', database = 'postgres', port = 5432 } = {},
): string =>
  `postgresql://${user}@localhost/${database}?${new URLSearchParams({ host: folder, port: String(port) })}`

/** A PostgreSQL server and its streaming replica, as an operator would set them up. */
export interface StreamingPair {
  /** Connection strings of the owner. */
  primary: string
  replica: string
  /** Ends the primary as a crash does, for good. */
  killPrimary(): void
  /** Makes the replica a primary, which takes writes. */
  promoteReplica(): void
  /** Stops the replica at once, or starts it again. */
  stopReplica(): void
  startReplica(): void
  /** On the owner's connection. */
  atReplica<Row>(statement: string): Promise<Row[]>
  /** Waits until the replica has replayed what the primary has. */
  caughtUp(): Promise<void>
  stop(): void
}

/**
 * Starts both in a temporary folder, on private sockets: Debian's PostgreSQL, streaming as its manual says. With `isSynchronous` a commit
 * waits for the replica.
 */
export async function startStreamingPair({ isSynchronous = false } = {}): Promise<StreamingPair> {
  const { folder, data, url, run, control, sql, stop } = startDebianServer()
  const second = join(folder, 'replica')
  try {
    run('pg_basebackup', '-D', second, '-h', folder, '-U', 'owner', '-R', '-X', 'stream', '-c', 'fast')
    appendFileSync(join(second, 'postgresql.conf'), 'port = 5433\n')
    control(second, 'start')
    if (isSynchronous) {
      // The setting that docs/backup.md names.
      await sql(`alter system set synchronous_standby_names = '*'`)
      await sql('select pg_reload_conf()')
    }
  } catch (error) {
    stop()
    throw error
  }
  return {
    primary: url,
    replica: socketUrl(folder, { port: 5433 }),
    killPrimary: () => control(data, 'stop', '-m', 'immediate'),
    promoteReplica: () => control(second, 'promote'),
    stopReplica: () => control(second, 'stop', '-m', 'immediate'),
    startReplica: () => control(second, 'start'),
    atReplica: (statement) => sql(statement, 5433),
    async caughtUp() {
      const [now] = await sql<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
      const seen = `select pg_last_wal_replay_lsn() >= '${now?.lsn}' as seen`
      await until('the replica to catch up', async () => (await sql<{ seen: boolean }>(seen, 5433))[0]?.seen)
    },
    stop,
  }
}
