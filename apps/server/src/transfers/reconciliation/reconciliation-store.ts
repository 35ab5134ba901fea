import type { PayloadType, ReconciliationSummary } from '@custodia/contract'
import { utcDay } from '@custodia/domain'
import { clientColumn } from '../../clients/store.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import type { DayCounts } from './figures-store.ts'

const DAY = 86_400
/** Seconds after UTC midnight when waiting for the day's runs ends. */
const LATEST = 20 * 3600

/**
 * Active configs that must reconcile the days before this UTC day: after the day's first scheduled run, or late in the
 * day.
 */
export function dueReconciliations(q: Queryable, now: number): Promise<string[]> {
  const today = utcDay(now)
  return q.column<string>(
    `select c.transfer_config_reference from transfer_configs c
     where c.client_id = $1 and c.is_active and c.transfer_type = 'Payload' and (c.reconciled_on is null or c.reconciled_on < $2)
       and exists (select from transfer_runs r where r.client_id = c.client_id and r.transfer_config_reference = c.transfer_config_reference)
       and ($3 or not exists (select from transfer_runs r where r.client_id = c.client_id
           and r.transfer_config_reference = c.transfer_config_reference and r.completed_at is null)
         and (c.next_at is null or c.next_at >= $2 + ${DAY} or exists (select from transfer_runs r where r.client_id = c.client_id
           and r.transfer_config_reference = c.transfer_config_reference and r.created_at >= $2)))
     order by c.transfer_config_reference`,
    [q.client_id, today, now - today >= LATEST],
  )
}

/** Content and name of a day's newest version. */
export interface NewestVersion extends Omit<DayCounts, 'missing'> {
  reconciliation_reference: string
  payload_date: number
  version: number
  payload_types: PayloadType[]
  checksum: string
  sent_at: number | null
}

/** Newest version of each day of a config. */
export async function newestVersions(q: Queryable, reference: string): Promise<Map<number, NewestVersion>> {
  const { rows } = await q.query<NewestVersion>(
    `select distinct on (payload_date) reconciliation_reference, payload_date, version, payload_types, captured, delivered, reasons, checksum, sent_at
     from transfer_reconciliations where client_id = $1 and transfer_config_reference = $2 order by payload_date, version desc`,
    [q.client_id, reference],
  )
  return new Map(rows.map((row) => [row.payload_date, row]))
}

export interface StoredReconciliation extends DayCounts {
  reconciliation_reference: string
  transfer_config_reference: string
  payload_date: number
  version: number
  payload_types: readonly PayloadType[]
  issued_at: number
  key_id: string
  checksum: string
  body: string
  signature: Buffer
}

export async function insertReconciliation(tx: Tx, stored: StoredReconciliation): Promise<void> {
  await tx.query(
    `insert into transfer_reconciliations (client_id, reconciliation_reference, transfer_config_reference, payload_date, version, payload_types, captured,
       delivered, missing, reasons, issued_at, key_id, checksum, body, signature)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      tx.client_id,
      stored.reconciliation_reference,
      stored.transfer_config_reference,
      stored.payload_date,
      stored.version,
      stored.payload_types,
      stored.captured,
      stored.delivered,
      stored.missing,
      JSON.stringify(stored.reasons),
      stored.issued_at,
      stored.key_id,
      stored.checksum,
      stored.body,
      stored.signature,
    ],
  )
}

/** Stores a delivery, or its error. */
export async function noteSent(
  tx: Tx,
  reconciliation_reference: string,
  outcome: { at: number; dest_path: string } | { error_message: string },
): Promise<void> {
  const sent = 'dest_path' in outcome ? outcome : undefined
  await tx.query(
    `update transfer_reconciliations set sent_at = $3, dest_path = $4, error_message = $5
     where client_id = $1 and reconciliation_reference = $2 and sent_at is null`,
    [
      tx.client_id,
      reconciliation_reference,
      sent?.at ?? null,
      sent?.dest_path ?? null,
      'error_message' in outcome ? outcome.error_message : null,
    ],
  )
}

/** UTC day of the last complete reconciliation; null: never. */
export async function reconciledOn(q: Queryable, reference: string): Promise<number | null> {
  return (
    (await q.value<number | null>(
      'select reconciled_on from transfer_configs where client_id = $1 and transfer_config_reference = $2',
      [q.client_id, reference],
    )) ?? null
  )
}

/** Stores that all days before a UTC day are reconciled. */
export async function noteReconciled(tx: Tx, reference: string, today: number): Promise<void> {
  await tx.query(
    'update transfer_configs set reconciled_on = $3 where client_id = $1 and transfer_config_reference = $2',
    [tx.client_id, reference, today],
  )
}

export interface ReconciliationFilter {
  transfer_config_reference?: string | undefined
  /** Day, half-open. */
  from: number
  to: number
}
const MATCHES = `r.client_id = $1 and ($2::text is null or r.transfer_config_reference = $2) and r.payload_date >= $3 and r.payload_date < $4
  and not exists (select from transfer_reconciliations n where n.client_id = r.client_id
    and n.transfer_config_reference = r.transfer_config_reference and n.payload_date = r.payload_date and n.version > r.version)`
const matching = (q: Queryable, { transfer_config_reference, from, to }: ReconciliationFilter) => [
  q.client_id,
  transfer_config_reference ?? null,
  from,
  to,
]

/** Newest versions after a cursor, newest day first. */
export function listReconciliations(
  q: Queryable,
  filter: ReconciliationFilter,
  after: readonly [payload_date: string, config: string] | undefined,
  limit: number,
): Promise<ReconciliationSummary[]> {
  return q.rows<ReconciliationSummary>(
    `select ${clientColumn('r.client_id')}, r.reconciliation_reference, r.transfer_config_reference,
       to_char(to_timestamp(r.payload_date) at time zone 'UTC', 'YYYY-MM-DD') as payload_date, r.version, r.captured, r.delivered, r.missing,
       r.reasons, r.issued_at, r.key_id, r.checksum, r.sent_at, r.dest_path, r.error_message
     from transfer_reconciliations r where ${MATCHES} and ($5::bigint is null or (r.payload_date, r.transfer_config_reference) < ($5, $6))
     order by r.payload_date desc, r.transfer_config_reference desc limit $7`,
    [
      ...matching(q, filter),
      after === undefined ? null : Date.parse(after[0]) / 1000,
      after?.[1] ?? null,
      limit,
    ],
  )
}

/** Number of reconciled days of configs. */
export function countReconciliations(q: Queryable, filter: ReconciliationFilter): Promise<number> {
  return q.count(
    `select count(*)::int as total from transfer_reconciliations r where ${MATCHES}`,
    matching(q, filter),
  )
}

/** Signed content and signature. */
export function findReconciliation(
  q: Queryable,
  reconciliation_reference: string,
): Promise<{ body: string; key_id: string; signature: Buffer } | undefined> {
  return q.row<{ body: string; key_id: string; signature: Buffer }>(
    'select body, key_id, signature from transfer_reconciliations where client_id = $1 and reconciliation_reference = $2',
    [q.client_id, reconciliation_reference],
  )
}
