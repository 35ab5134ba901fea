import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { socketUrl, startDebianServer } from './debian-postgres.ts'
import { until } from './until.ts'

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
