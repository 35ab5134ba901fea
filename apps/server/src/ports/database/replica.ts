import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Queryable, Tx } from './lease.ts'
import { DatabaseProblem, isAbandoned } from './problem.ts'

/** Milliseconds that a read waits for the replica before it uses the primary. */
const PATIENCE = 100
/** Milliseconds without reads from a replica that was behind or silent. */
const LEFT_ALONE = { behind: 1_000, silent: 2_000 }
/** Milliseconds by which other users' writes may lag on a replica. */
export const MAX_STALE = 5_000

/** The position that a replica must have reached before it may serve a client. */
interface ReplicaPosition {
  /** The client's own writes, as counted by `countWrite`. */
  writes: number
  /** WAL position of the primary, at most `MAX_STALE` ms old. */
  lsn: string
}

/**
 * Counts a write of a client's people as the last statement of its transaction, because the counter's row
 * lock makes others wait.
 */
export async function countWrite(tx: Tx): Promise<void> {
  await tx.query(
    `insert into client_writes values ($1, 1)
     on conflict (client_id) do update set writes = client_writes.writes + 1`,
    [tx.client_id],
  )
}

/** Refuses a replica of another server on connect, because its positions are unrelated. */
export const assertReplicaOf = (system_identifier: string): string => `do $$ begin
    if not pg_is_in_recovery() or (select system_identifier from pg_control_system()) <> ${BigInt(system_identifier)} then
      raise exception 'this server is no streaming replica of DATABASE_URL' using errcode = '08004';
    end if;
  end $$`

/** The identifier of a server and its replicas. */
export async function systemIdentifier(owner: pg.Pool): Promise<string> {
  const { rows } = await owner.query<{ id: string }>(
    'select system_identifier::text as id from pg_control_system()',
  )
  return rows[0]?.id ?? ''
}

/** Runs `work` on one connection as one tenant. */
type ReadAs = <T>(clientId: number, work: (q: Queryable) => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Seconds by which the replica is behind. */
export async function readLag(pool: pg.Pool): Promise<number> {
  // A primary without writes sends nothing: a connected replica that applied all received data is not behind.
  const { rows } = await pool.query<{ lag: number }>(
    `select case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver) then 0
       else coalesce(extract(epoch from now() - pg_last_xact_replay_timestamp()), 0) end::float8 as lag`,
  )
  return rows[0]?.lag ?? 0
}

/**
 * Reads from a streaming replica when it has every write of the client's own people and is at most
 * `mostStale` ms behind. Else, or when the replica or `work` fails, reads from the primary. So no
 * acknowledged write is missing from a response.
 */
export function replicaReads(primary: ReadAs, replica: ReadAs, mostStale = MAX_STALE): ReadAs {
  const samples: { at: number; lsn: string }[] = []
  let leftAloneUntil = 0
  const leaveAlone = (milliseconds: number) => {
    leftAloneUntil = performance.now() + milliseconds
  }

  async function requiredPosition(clientId: number): Promise<ReplicaPosition> {
    const at = performance.now()
    const { writes, lsn } = await primary(clientId, readPosition)
    while (samples[0] && samples[0].at < at - mostStale) samples.shift()
    samples.push({ at, lsn })
    return { writes, lsn: samples[0]?.lsn ?? lsn }
  }

  return async (clientId, work, signal) => {
    if (performance.now() < leftAloneUntil) return primary(clientId, work, signal)
    const need = await requiredPosition(clientId)
    let isCurrent: boolean | undefined
    try {
      return await replica(
        clientId,
        async (q) => {
          isCurrent = await catchesUp(q, need)
          if (!isCurrent) throw new Error('the replica is behind')
          return work(q)
        },
        signal,
      )
    } catch (error) {
      if (isAbandoned(error)) throw error
      if (isCurrent === false) leaveAlone(LEFT_ALONE.behind)
      else if (isCurrent === undefined || (error instanceof DatabaseProblem && error.kind === 'unavailable'))
        leaveAlone(LEFT_ALONE.silent)
      return primary(clientId, work, signal)
    }
  }
}

async function readPosition(q: Queryable): Promise<ReplicaPosition> {
  // Every acknowledged commit was flushed before.
  const { rows } = await q.query<ReplicaPosition>(
    `select coalesce((select writes from client_writes where client_id = $1), 0) as writes, pg_current_wal_flush_lsn()::text as lsn`,
    [q.client_id],
  )
  return rows[0] ?? { writes: 0, lsn: '0/0' }
}

/**
 * Whether the replica reaches the position within `PATIENCE`. A promoted replica has another history and
 * never does.
 */
async function catchesUp(q: Queryable, { writes, lsn }: ReplicaPosition): Promise<boolean> {
  const deadline = performance.now() + PATIENCE
  for (let wait = 2; ; wait *= 2) {
    const { rows } = await q.query<{ shows: boolean }>(
      `select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $3::pg_lsn
         and coalesce((select writes from client_writes where client_id = $1), 0) >= $2 as shows`,
      [q.client_id, writes, lsn],
    )
    if (rows[0]?.shows) return true
    if (performance.now() + wait > deadline) return false
    await pause(wait)
  }
}
