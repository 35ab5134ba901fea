import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { postgresUser } from '../ports/database/run-as.ts'
import { until } from './until.ts'

const PACKAGES = '/usr/lib/postgresql'

/** Folder with the programs of Debian's PostgreSQL, its newest major version; undefined where it is not installed. */
export function debianPostgres(): string | undefined {
  if (!existsSync(PACKAGES)) return undefined
  const majors = readdirSync(PACKAGES).map(Number).filter(Boolean)
  const bin = join(PACKAGES, String(Math.max(...majors)), 'bin')
  return ['initdb', 'pg_basebackup'].every((program) => existsSync(join(bin, program))) ? bin : undefined
}

/** A PostgreSQL server and its streaming replica, as an operator would set them up. */
export interface StreamingPair {
  /** Connection strings of the owner. */
  primary: string
  replica: string
  /** Stops the replica at once, or starts it again. */
  stopReplica(): void
  startReplica(): void
  /** On the owner's connection. */
  atReplica<Row>(statement: string): Promise<Row[]>
  /** Waits until the replica has replayed what the primary has. */
  caughtUp(): Promise<void>
  stop(): void
}

/** Starts both in a temporary folder, on private sockets: Debian's PostgreSQL, streaming as its manual says. */
export async function startStreamingPair(): Promise<StreamingPair> {
  const bin = debianPostgres()
  if (!bin) throw new Error('PostgreSQL is not installed')
  const user = postgresUser()
  const folder = mkdtempSync(join(tmpdir(), 'custodia-pair-'))
  chmodSync(folder, 0o755)
  chownSync(folder, user.uid, user.gid)
  const run = (program: string, ...args: string[]) => {
    const options = { uid: user.uid, gid: user.gid, cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const
    const { status, stderr } = spawnSync(join(bin, program), args, options)
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`)
  }
  const [first, second] = [join(folder, 'primary'), join(folder, 'replica')]
  const url = (port: number) =>
    `postgresql://owner@localhost/postgres?${new URLSearchParams({ host: folder, port: String(port) })}`
  const control = (at: string, ...args: string[]) => run('pg_ctl', '-D', at, '-l', `${at}.log`, '-w', ...args)
  const stop = () => {
    for (const at of [second, first])
      if (existsSync(join(at, 'postmaster.pid'))) control(at, 'stop', '-m', 'immediate')
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    run('initdb', '-D', first, '-U', 'owner', '-E', 'UTF8', '--locale=C.UTF-8', '--auth=trust', '-N')
    const settings = `listen_addresses = ''\nunix_socket_directories = '${folder}'\nmax_connections = 60\nfsync = off\n`
    appendFileSync(join(first, 'postgresql.conf'), `${settings}port = 5432\n`)
    control(first, 'start')
    run('pg_basebackup', '-D', second, '-h', folder, '-U', 'owner', '-R', '-X', 'stream', '-c', 'fast')
    appendFileSync(join(second, 'postgresql.conf'), 'port = 5433\n')
    control(second, 'start')
  } catch (error) {
    stop()
    throw error
  }
  const ask = async <Row>(port: number, statement: string): Promise<Row[]> => {
    const client = new pg.Client(url(port))
    await client.connect()
    try {
      return (await client.query(statement)).rows as Row[]
    } finally {
      await client.end()
    }
  }
  return {
    primary: url(5432),
    replica: url(5433),
    stopReplica: () => control(second, 'stop', '-m', 'immediate'),
    startReplica: () => control(second, 'start'),
    atReplica: (statement) => ask(5433, statement),
    async caughtUp() {
      const [now] = await ask<{ lsn: string }>(5432, 'select pg_current_wal_flush_lsn()::text as lsn')
      const seen = `select pg_last_wal_replay_lsn() >= '${now?.lsn}' as seen`
      await until('the replica to catch up', async () => (await ask<{ seen: boolean }>(5433, seen))[0]?.seen)
    },
    stop,
  }
}
