import type { Tx } from '../ports/database/lease.ts'
import type { StoredCheckpoint } from './checkpoint-store.ts'
import {
  entryColumns,
  entryOf,
  type EntryRow,
  idOf,
  isEntryOf,
  SEALED_SOURCES,
  type SourceEntry,
} from './sources.ts'

// A row may be taken once no older transaction can still commit: `is_final`. Entries have positions in the order of
// (transaction, source, id), so those of the transaction that was sealed last lie behind the last entry: a transaction may
// have ten thousand. A restored dump has transaction numbers of another server, above those of this one. Until all of it was looked
// through, entries of both servers are waiting; later this server reaches the numbers of the other one. Therefore the
// position of every entry that is not of a later transaction than all sealed ones is looked up, row by row, because a
// join is planned for tables that are not analysed yet.
const unsealed = (range: string) => `
  with running as materialized (
    select pg_snapshot_xmin(x) as oldest, pg_snapshot_xmax(x) as next,
      coalesce((select e.xid from sealed_entries e where e.client_id = $1 order by e.xid desc limit 1), '0') as sealed
    from (select pg_current_snapshot() as x) s
  ), newest as materialized (
    select e.xid, e.source::text collate "C" as source, e.source_id from sealed_entries e where e.client_id = $1 order by e.position desc limit 1
  )
  select x.*, (select oldest::text from running) as oldest_xid from (${SEALED_SOURCES.map(
    (source) => `
    (select r.xid as transaction, ${entryColumns(source)},
       r.xid < (select oldest from running) or r.xid >= (select next from running) as is_final
     from ${source.table} r where r.client_id = $1 and ${range}
       and case
         when r.xid > (select sealed from running) then true
         when r.xid = (select xid from newest)
           then ('${source.table}' collate "C", (${idOf(source)}) collate "C") > (select source, source_id from newest)
         else (select e.position from sealed_entries e where ${isEntryOf(source)} limit 1) is null end
     order by r.xid, (${idOf(source)}) collate "C" limit $3)`,
  ).join(' union all ')}) x
  order by transaction, source collate "C", source_id collate "C" limit $3`

const UNSEALED = unsealed('r.xid >= $2::text::xid8 and r.xid < (select next from running)')
// The other server sealed all entries from its first to $2.
const UNSEALED_RESTORED = unsealed('(r.xid >= $2::text::xid8 or r.xid < (select next from running))')

/** A committed entry without a position. */
export interface UnsealedEntry extends SourceEntry {
  /** Whether no older transaction can still commit. */
  is_final: boolean
  /** The oldest running transaction. */
  oldest_xid: string
}

/** Committed entries without a position in the order of their transactions. */
export async function readUnsealed(
  tx: Tx,
  { until_xid, isRestored, limit }: { until_xid: string; isRestored: boolean; limit: number },
): Promise<UnsealedEntry[]> {
  // A plan for these values alone is no better, and takes 11 ms to make.
  await tx.query('set local plan_cache_mode = force_generic_plan')
  const { rows } = await tx.query<EntryRow & Omit<UnsealedEntry, 'fields'>>(
    isRestored ? UNSEALED_RESTORED : UNSEALED,
    [tx.client_id, until_xid, limit],
    isRestored ? 'sealed_waiting_restored' : 'sealed_waiting',
  )
  return rows.map(entryOf)
}

/** How far the log of a client is sealed. */
export interface SealedUntil {
  size: number
  until_xid: string
  /** Whether the database was restored from a dump since. */
  is_restored: boolean
}

/** How far the log is sealed, once no other process seals it; undefined while one does. */
export async function lockSealed(tx: Tx): Promise<SealedUntil | undefined> {
  const { rows } = await tx.query<{ is_mine: boolean }>(
    `select pg_try_advisory_xact_lock(hashtext('sealed log'), $1) as is_mine`,
    [tx.client_id],
    'sealed_lock',
  )
  if (!rows[0]?.is_mine) return undefined
  const found = await tx.query<SealedUntil>(
    `select size, until_xid::text as until_xid, until_xid > pg_snapshot_xmax(pg_current_snapshot()) as is_restored
     from sealed_checkpoints where client_id = $1 order by size desc limit 1`,
    [tx.client_id],
    'sealed_until',
  )
  return found.rows[0] ?? { size: 0, until_xid: '0', is_restored: false }
}

export interface SealedBatch {
  /** The position of the first entry. */
  from: number
  entries: readonly (SourceEntry & { digest: Buffer; salt: Buffer })[]
  nodes: readonly { level: number; index: number; hash: Uint8Array }[]
  checkpoint: StoredCheckpoint
  until_xid: string
}

/** Stores a batch with its checkpoint. */
export async function insertSealed(
  tx: Tx,
  { from, entries, nodes, checkpoint, until_xid }: SealedBatch,
): Promise<void> {
  await tx.query(
    `insert into sealed_entries (client_id, position, source, source_id, xid, at, digest, salt)
     select $1, $2 + n - 1, source::sealed_source, source_id, xid::xid8, at, digest, salt
     from unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::bytea[], $8::bytea[])
       with ordinality x (source, source_id, xid, at, digest, salt, n)`,
    [
      tx.client_id,
      from,
      entries.map(({ source }) => source),
      entries.map(({ source_id }) => source_id),
      entries.map(({ xid }) => xid),
      entries.map(({ at }) => at),
      entries.map(({ digest }) => digest),
      entries.map(({ salt }) => salt),
    ],
    'sealed_insert',
  )
  for (const { level, index, hash } of nodes)
    await tx.query('insert into sealed_nodes (client_id, level, index, hash) values ($1, $2, $3, $4)', [
      tx.client_id,
      level,
      index,
      Buffer.from(hash),
    ])
  await tx.query(
    `insert into sealed_checkpoints (client_id, size, signed_at, algorithm, key_id, checkpoint, until_xid)
     values ($1, $2, $3, $4, $5, $6, $7::text::xid8)`,
    [
      tx.client_id,
      checkpoint.size,
      checkpoint.signed_at,
      checkpoint.algorithm,
      checkpoint.key_id,
      checkpoint.checkpoint,
      until_xid,
    ],
    'sealed_checkpoint_insert',
  )
}
