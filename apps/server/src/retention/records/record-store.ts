import type { HoldTarget } from '@custodia/contract'
import type { HoldSubject } from '../../held-records/store.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import type { ExpiringRow } from './dependent-rows.ts'
import { getName, type StoredKind } from './kind-store.ts'

/** Progress of a pass through records of a kind. */
export interface RecordPosition {
  /** Of the last record checked; null: none yet. */
  at: number | null
  key: string | null
  /** Start and end of the pass; epoch seconds, database time. */
  began_at: number
  ended_at: number | null
}

export interface FoundRecord {
  key: string
  recorded_at: number
  received_at: number
}

/**
 * Locks the position of a pass; undefined when another worker has it.
 * @param anew seconds after which a pass restarts from the oldest
 */
export async function takeRecordPosition(
  tx: Tx,
  kind: StoredKind,
  { now, anew }: { now: number; anew: number },
): Promise<RecordPosition | undefined> {
  await tx.query(
    'insert into retention_record_positions (client_id, kind, began_at) values ($1, $2, $3) on conflict do nothing',
    [tx.client_id, getName(kind), now],
  )
  const position = await tx.row<RecordPosition>(
    `select at, key, began_at, ended_at from retention_record_positions where client_id = $1 and kind = $2 for update skip locked`,
    [tx.client_id, getName(kind)],
  )
  if (!position) return undefined
  // If the clock went back, the pass restarts; a second check is harmless.
  const isOver = position.ended_at !== null && !(now >= position.began_at && now < position.began_at + anew)
  return isOver ? { at: null, key: null, began_at: now, ended_at: null } : position
}

/** Stores the progress. */
export async function noteRecordPosition(
  tx: Tx,
  kind: StoredKind,
  { at, key, began_at, ended_at }: RecordPosition,
): Promise<void> {
  await tx.query(
    `update retention_record_positions set at = $3, key = $4, began_at = $5, ended_at = $6 where client_id = $1 and kind = $2`,
    [tx.client_id, getName(kind), at, key, began_at, ended_at],
  )
}

const found = ({ key, time, received }: StoredKind) =>
  `${key}::text as key, ${time} as recorded_at, ${received} as received_at`

/** SQL: condition by keys `$2` and times `$3`; the times limit the partitions. */
const matchesKeys = ({ key, key_type, time, only = 'true' }: StoredKind) =>
  `client_id = $1 and ${key} = any($2::${key_type}[]) and ${time} = any($3::bigint[]) and ${only}`

const getKeys = (records: readonly FoundRecord[]) => [
  records.map(({ key }) => key),
  [...new Set(records.map(({ recorded_at }) => recorded_at))],
]

/** Records after a position, oldest first, up to `until`. */
export function findOldestRecords(
  q: Queryable,
  kind: StoredKind,
  { after, until, limit }: { after: RecordPosition; until: number; limit: number },
): Promise<FoundRecord[]> {
  const { table, time, key, key_type, only = 'true' } = kind
  return q.rows<FoundRecord>(
    `select ${found(kind)} from ${table}
     where client_id = $1 and (${time}, ${key}) > ($2::bigint, $3::text::${key_type}) and ${time} <= $4 and ${only}
     order by ${table}.${time}, ${table}.${key} limit $5`,
    [q.client_id, after.at ?? Number.MIN_SAFE_INTEGER, after.key ?? '0', until, limit],
  )
}

/** Subjects whose hold keeps these records. */
export async function subjectsOfRecords(
  q: Queryable,
  kind: StoredKind,
  records: readonly FoundRecord[],
): Promise<Map<string, HoldSubject[]>> {
  const { table, time, key, received, facts, subjects } = kind
  const { rows } = await q.query<{ key: string; target_type: HoldTarget; target: string }>(
    `select p.key, s.target_type, s.target from (
       select client_id, ${key}::text as key, ${facts}, ${time} as payload_time, ${received} as claimed_time,
         greatest(${time}, ${received}) as payload_end_time
       from ${table} where ${matchesKeys(kind)}) p cross join lateral (${subjects}) s`,
    [q.client_id, ...getKeys(records)],
  )
  const by = Map.groupBy(rows, (row) => row.key)
  return new Map(
    records.map((record) => [
      record.key,
      (by.get(record.key) ?? []).map(({ target_type, target }) => ({ target_type, target })),
    ]),
  )
}

/** Locks records against reassignment until the transaction ends. */
export function lockRecords(
  tx: Tx,
  kind: StoredKind,
  records: readonly FoundRecord[],
): Promise<FoundRecord[]> {
  return tx.rows<FoundRecord>(
    `select ${found(kind)} from ${kind.table} where ${matchesKeys(kind)} ${kind.locked_by ? `order by ${kind.locked_by} for update` : ''}`,
    [tx.client_id, ...getKeys(records)],
  )
}

/** Columns for dependent rows, read before the lock. */
export async function findDependentRows(
  tx: Tx,
  kind: StoredKind,
  records: readonly FoundRecord[],
): Promise<ExpiringRow[]> {
  if (!kind.with) return []
  return tx.rows<ExpiringRow>(`select ${kind.with.columns} from ${kind.table} where ${matchesKeys(kind)}`, [
    tx.client_id,
    ...getKeys(records),
  ])
}

/** Destroys records; returns the number. */
export async function destroyRecords(
  tx: Tx,
  kind: StoredKind,
  records: readonly FoundRecord[],
): Promise<number> {
  if (kind.destroyed_by) {
    return tx.count(`select ${kind.destroyed_by} as gone`, [records.map(({ key }) => key)])
  }
  if (kind.is_evidence) {
    return tx.count('select destroy_records($1, $2, $3) as gone', [kind.table, ...getKeys(records)])
  }
  const { rowCount } = await tx.query(`delete from ${kind.table} where ${matchesKeys(kind)}`, [
    tx.client_id,
    ...getKeys(records),
  ])
  return rowCount
}
