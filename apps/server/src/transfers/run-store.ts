import type { TransferItem, TransferItemState, TransferRun, TransferState } from '@custodia/contract'
import { utcDay } from '@custodia/domain'
import { clientColumn } from '../clients/store.ts'
import { typeOfCode } from '../payload-records/codes.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** A payload on the target of a config. */
interface DeliveredPayload {
  transfer_config_reference: string
  transfer_id: string
  payload_id: number
  payload_time: number
  /** First delivery. */
  at: number
  encrypted: string
  decrypted: string
}

/** Stores a delivery by config and UTC day of the payload's time, in the transaction of its attempt. Idempotent. */
export async function enterDelivery(tx: Tx, delivered: DeliveredPayload): Promise<void> {
  await tx.query(
    `insert into transfer_audit (client_id, transfer_config_reference, payload_date, payload_id, transfer_id, transferred_at,
       encrypted_checksum, decrypted_checksum) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [
      tx.client_id,
      delivered.transfer_config_reference,
      utcDay(delivered.payload_time),
      delivered.payload_id,
      delivered.transfer_id,
      delivered.at,
      delivered.encrypted,
      delivered.decrypted,
    ],
  )
}

type NewRun = Pick<
  TransferRun,
  | 'transfer_id'
  | 'transfer_config_reference'
  | 'transfer_type'
  | 'created_at'
  | 'scheduled_for'
  | 'report_from'
  | 'report_to'
  | 'role_reference'
  | 'updated_by'
>

export async function insertRun(tx: Tx, run: NewRun): Promise<void> {
  await tx.query(
    `insert into transfer_runs (client_id, transfer_id, transfer_config_reference, transfer_type, created_at, scheduled_for, report_from, report_to,
       role_reference, updated_by) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      tx.client_id,
      run.transfer_id,
      run.transfer_config_reference,
      run.transfer_type,
      run.created_at,
      run.scheduled_for,
      run.report_from,
      run.report_to,
      run.role_reference,
      run.updated_by,
    ],
  )
}

const COLUMNS = `${clientColumn('r.client_id')}, r.transfer_id, r.transfer_config_reference, r.transfer_type, r.transfer_state, r.created_at,
  r.completed_at, r.scheduled_for, r.report_from, r.report_to, r.payload_count, r.role_reference, r.left_out, r.error_message, r.updated_by,
  (select count(*)::int from transfer_items i where i.client_id = r.client_id and i.transfer_id = r.transfer_id
    and i.transfer_state = 'Succeeded') as succeeded_count,
  (select count(*)::int from transfer_items i where i.client_id = r.client_id and i.transfer_id = r.transfer_id
    and i.transfer_state = 'Failed') as failed_count`

interface RunFilter {
  transfer_states?: readonly TransferState[] | undefined
  transfer_types?: readonly string[] | undefined
  transfer_config_reference?: string | undefined
  /** `created_at`, half-open. */
  from: number
  to: number
}

const MATCHES = `r.client_id = $1 and ($2::text[] is null or r.transfer_state = any($2)) and ($3::text[] is null or r.transfer_type = any($3))
  and ($4::text is null or r.transfer_config_reference = $4) and r.created_at >= $5 and r.created_at < $6`
const matching = (q: Queryable, filter: RunFilter) => [
  q.client_id,
  filter.transfer_states ?? null,
  filter.transfer_types ?? null,
  filter.transfer_config_reference ?? null,
  filter.from,
  filter.to,
]

/** Runs before a cursor (undefined: from the newest), newest first. */
export function listRuns(
  q: Queryable,
  filter: RunFilter,
  before: string | undefined,
  limit: number,
): Promise<TransferRun[]> {
  return q.rows<TransferRun>(
    `select ${COLUMNS} from transfer_runs r where ${MATCHES} and ($7::text is null or r.transfer_id < $7)
     order by r.transfer_id desc limit $8`,
    [...matching(q, filter), before ?? null, limit],
  )
}

export function countRuns(q: Queryable, filter: RunFilter): Promise<number> {
  return q.count(`select count(*)::int as total from transfer_runs r where ${MATCHES}`, matching(q, filter))
}

/** Finds a run, or undefined. */
export function findRun(q: Queryable, transfer_id: string): Promise<TransferRun | undefined> {
  return q.row<TransferRun>(
    `select ${COLUMNS} from transfer_runs r where r.client_id = $1 and r.transfer_id = $2`,
    [q.client_id, transfer_id],
  )
}

const ITEM = `i.item, p.payload_reference, p.type, i.source_path, i.dest_path, i.transfer_state, i.error_message, i.transferred_at,
  i.encrypted_checksum, i.decrypted_checksum,
  coalesce((select jsonb_agg(jsonb_build_object('attempted_at', a.attempted_at, 'attempted_by', a.attempted_by, 'error_message', a.error_message,
      'transfer_state', a.transfer_state) order by a.attempt)
    from transfer_attempts a where a.client_id = i.client_id and a.transfer_id = i.transfer_id and a.item = i.item), '[]') as attempts`
/** An item without its recording. */
export type StoredItem = Omit<TransferItem, 'seen'>
type ItemRow = Omit<StoredItem, 'payload_type'> & { type: number | null }
const getItem = ({ type, ...row }: ItemRow): StoredItem => ({
  ...row,
  payload_type: type === null ? null : (typeOfCode(type) as NonNullable<TransferItem['payload_type']>),
})

interface ItemFilter {
  transfer_id: string
  transfer_states?: readonly TransferItemState[] | undefined
}

/** Items of a run after a cursor, by name. */
export async function listItems(
  q: Queryable,
  { transfer_id, transfer_states }: ItemFilter,
  after: string,
  limit: number,
): Promise<StoredItem[]> {
  const { rows } = await q.query<ItemRow>(
    `select ${ITEM} from transfer_items i left join payloads p using (client_id, payload_id)
     where i.client_id = $1 and i.transfer_id = $2 and ($3::text[] is null or i.transfer_state = any($3)) and i.item > $4
     order by i.item limit $5`,
    [q.client_id, transfer_id, transfer_states ?? null, after, limit],
  )
  return rows.map(getItem)
}

/** First items of a run, failed ones first. */
export async function firstItems(q: Queryable, transfer_id: string, limit: number): Promise<StoredItem[]> {
  const { rows } = await q.query<ItemRow>(
    `select ${ITEM} from transfer_items i left join payloads p using (client_id, payload_id)
     where i.client_id = $1 and i.transfer_id = $2 order by i.transfer_state <> 'Failed', i.item limit $3`,
    [q.client_id, transfer_id, limit],
  )
  return rows.map(getItem)
}

export function countItems(q: Queryable, filter: ItemFilter): Promise<number> {
  return q.count(
    `select count(*)::int as total from transfer_items where client_id = $1 and transfer_id = $2
     and ($3::text[] is null or transfer_state = any($3))`,
    [q.client_id, filter.transfer_id, filter.transfer_states ?? null],
  )
}

/** Sets failed items to waiting; false for an open run or one without failures. */
export async function reopenFailed(tx: Tx, transfer_id: string, by: string): Promise<boolean> {
  const reopened = await tx.query(
    `update transfer_runs set transfer_state = 'Pending', completed_at = null, error_message = null, updated_by = $3
     where client_id = $1 and transfer_id = $2 and transfer_state in ('PartialFail', 'Failed')`,
    [tx.client_id, transfer_id, by],
  )
  if (reopened.rowCount === 0) return false
  await tx.query(
    `update transfer_items set transfer_state = 'Pending' where client_id = $1 and transfer_id = $2 and transfer_state = 'Failed'`,
    [tx.client_id, transfer_id],
  )
  return true
}
