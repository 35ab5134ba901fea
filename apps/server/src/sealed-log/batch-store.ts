import type { Tx } from '../ports/database/lease.ts'
import type { StoredCheckpoint } from './checkpoint-store.ts'
import {
  entryColumns,
  getEntry,
  type EntryRow,
  getId,
  isEntryOf,
  ofTransaction,
  SEALED_SOURCES,
  type SourceEntry,
} from './sources.ts'

// A row may be taken once no older transaction can still commit: `is_final`. Entries have positions in the order of
// (transaction, source, id), so those of the transaction that was sealed last lie behind the last entry: a transaction may
// have ten thousand. A restored dump has transaction numbers of another server, above those of this one. Until all of it was looked
// through, entries of both servers are waiting; later this server reaches the numbers of the other one. Then the
// position of every entry that is not of a later transaction than all sealed ones is searched, row by row, because a
// join is planned for tables that are not analysed yet.
const unsealed = (range: string, isSearched: boolean) => `
  with running as materialized (
    select pg_snapshot_xmin(x) as oldest, pg_snapshot_xmax(x) as next,
      coalesce((select max(b.last_xid) from sealed_batches b where b.client_id = $1), 0)::text::xid8 as sealed
    from (select pg_current_snapshot() as x) s
  ), newest as materialized (
    select b.last_xid::text::xid8 as xid, b.sources[n]::text collate "C" as source, b.source_ids[n] as source_id, b.first + n as size
    from sealed_batches b cross join lateral cardinality(b.sources) n where b.client_id = $1 order by b.first desc limit 1
  )
  select x.*, (select oldest::text from running) as oldest_xid, coalesce((select size from newest), 0) as size from (${SEALED_SOURCES.map(
    (source) => `
    (select r.xid as transaction, ${entryColumns(source)},
       r.xid < (select oldest from running) or r.xid >= (select next from running) as is_final
     from ${source.table} r where r.client_id = $1 and ${range}
       and case
         when r.xid > (select sealed from running) then true
         when r.xid = (select xid from newest)
           then ('${source.table}' collate "C", (${getId(source)}) collate "C") > (select source, source_id from newest)
         else ${isSearched ? `(select e.position from sealed_entries e where ${isEntryOf(source)} and ${ofTransaction('r.xid')} limit 1) is null` : 'false'} end
     order by r.xid, (${getId(source)}) collate "C" limit $3)`,
  ).join(' union all ')}) x
  order by transaction, source collate "C", source_id collate "C" limit $3`

const NEXT = 'r.xid >= $2::text::xid8 and r.xid < (select next from running)'
const UNSEALED = {
  next: unsealed(NEXT, false),
  searched: unsealed(NEXT, true),
  // The other server sealed all entries from its first to $2.
  restored: unsealed('(r.xid >= $2::text::xid8 or r.xid < (select next from running))', true),
}

/** A committed entry without a position. */
export interface UnsealedEntry extends SourceEntry {
  /** Whether no older transaction can still commit. */
  is_final: boolean
  /** The oldest running transaction. */
  oldest_xid: string
  /** The size of the log. */
  size: number
}

/** Committed entries without a position in the order of their transactions. */
export async function readUnsealed(
  tx: Tx,
  { until_xid, is_restored, is_searched }: Omit<SealedUntil, 'size'>,
  limit: number,
): Promise<UnsealedEntry[]> {
  const text = is_restored ? UNSEALED.restored : is_searched ? UNSEALED.searched : UNSEALED.next
  const { rows } = await tx.query<EntryRow & Omit<UnsealedEntry, 'fields'>>(text, [
    tx.client_id,
    until_xid,
    limit,
  ])
  return rows.map(getEntry)
}

/** How far the log of a client is sealed. */
export interface SealedUntil {
  size: number
  until_xid: string
  /** Whether the database was restored from a dump since. */
  is_restored: boolean
  /** Whether entries of later transactions than `until_xid` have a position: those of another server. */
  is_searched: boolean
}

/**
 * How far the log is sealed; undefined while another process seals it. A process that sealed just before may not be seen:
 * then the size of the unsealed entries is larger.
 */
export async function lockSealed(tx: Tx): Promise<SealedUntil | undefined> {
  // A plan of the next statement for its values alone is no better, and takes 11 ms to make.
  const row = await tx.row<{ is_mine: boolean } & Partial<SealedUntil>>(
    `select l.is_mine, c.* from (select pg_try_advisory_xact_lock(hashtext('sealed log'), $1) as is_mine,
       set_config('plan_cache_mode', 'force_generic_plan', true)) l
     left join lateral (
       select size, until_xid::text as until_xid, until_xid > pg_snapshot_xmax(pg_current_snapshot()) as is_restored,
         (select max(last_xid) from sealed_batches where client_id = $1) > until_xid::text::bigint as is_searched
       from sealed_checkpoints where client_id = $1 order by size desc limit 1) c on true`,
    [tx.client_id],
  )
  if (!row?.is_mine) return undefined
  return {
    size: row.size ?? 0,
    until_xid: row.until_xid ?? '0',
    is_restored: row.is_restored ?? false,
    is_searched: row.is_searched ?? false,
  }
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
  const xids = entries.map(({ xid }) => xid)
  await tx.query(
    `with batch as (
       insert into sealed_batches (client_id, first, first_xid, last_xid, sources, xids, times, source_ids, digests, salts)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ), node as (
       insert into sealed_nodes (client_id, level, index, hash)
       select $1, level, index, hash from unnest($11::int[], $12::bigint[], $13::bytea[]) n (level, index, hash)
     )
     insert into sealed_checkpoints (client_id, size, signed_at, algorithm, key_id, checkpoint, until_xid)
     values ($1, $14, $15, $16, $17, $18, $19::text::xid8)`,
    [
      tx.client_id,
      from,
      xids[0],
      xids.at(-1),
      entries.map(({ source }) => source),
      xids,
      entries.map(({ at }) => at),
      entries.map(({ source_id }) => source_id),
      entries.map(({ digest }) => digest),
      entries.map(({ salt }) => salt),
      nodes.map(({ level }) => level),
      nodes.map(({ index }) => index),
      nodes.map(({ hash }) => Buffer.from(hash)),
      checkpoint.size,
      checkpoint.signed_at,
      checkpoint.algorithm,
      checkpoint.key_id,
      checkpoint.checkpoint,
      until_xid,
    ],
  )
}
