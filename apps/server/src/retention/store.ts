import type {
  LegalMinimum,
  RetentionEntry,
  RetentionDisposition,
  RetentionProposal,
} from '@custodia/contract'
import {
  decide,
  deliveredBy,
  type Delivery,
  type PolicyVersion,
  type RetentionItem,
  ruleFor,
  transferredAt,
} from '@custodia/domain'
import { CLOCK, getHoldPeriods } from '../held-records/store.ts'
import { STATE_CODES } from '../payload-records/codes.ts'
import { APP_RECEIPTS, AWAITS_SIGN_OFF } from '../payload-records/store.ts'
import { WRITTEN_OFF } from '../payloads/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { DELIVERIES } from '../transfers/store.ts'

export { RETAINED_KINDS } from './records/fleet-store.ts'
export {
  countKeptRecords,
  countReported,
  type KeptRecordGroup,
  type ReportedGroup,
} from './records/kept-store.ts'
export { SELF_EXPIRING_KINDS, getStage } from './records/kind-store.ts'
export { countKept, type KeptGroup } from './kept-store.ts'
export { pauseAfterRestore } from './engine-store.ts'

export interface StoredPolicy extends PolicyVersion {
  policy_version: number
  minimums: LegalMinimum[]
  note: string | null
  by: string
  /** Second person, with dual control. */
  confirmed_by: string | null
}

const COLUMNS = 'policy_version, entries, minimums, applies_to_kept, note, at, by, confirmed_by'

/** Current policy, or undefined without one. */
export async function findPolicy(q: Queryable): Promise<StoredPolicy | undefined> {
  const [policy] = await findPolicies(q, undefined, 1)
  return policy
}

/** Policies before a version, newest first. */
export function findPolicies(
  q: Queryable,
  before: number | undefined,
  limit: number,
): Promise<StoredPolicy[]> {
  return q.rows<StoredPolicy>(
    `select ${COLUMNS} from retention_policies where client_id = $1 and ($2::int is null or policy_version < $2)
     order by policy_version desc limit $3`,
    [q.client_id, before ?? null, limit],
  )
}

/** All policies in save order, because decisions need every version. */
export function allPolicies(q: Queryable): Promise<StoredPolicy[]> {
  return q.rows<StoredPolicy>(
    `select ${COLUMNS} from retention_policies where client_id = $1 order by policy_version`,
    [q.client_id],
  )
}

export function countPolicies(q: Queryable): Promise<number> {
  return q.count('select count(*)::int as total from retention_policies where client_id = $1', [q.client_id])
}

export type NewPolicy = Required<RetentionProposal> & {
  entries: readonly RetentionEntry[]
  note: string | null
  by: string
  confirmed_by: string | null
}

/** Saves the next version under lock. Its database time is never before the previous version. */
export async function insertPolicy(tx: Tx, policy: NewPolicy): Promise<void> {
  await tx.query(
    `insert into retention_policies (client_id, policy_version, entries, minimums, applies_to_kept, note, at, by, confirmed_by)
     select $1, coalesce(max(policy_version), 0) + 1, $2::jsonb, $3::jsonb, $4, $5, greatest(${CLOCK}, max(at)), $6, $7
     from retention_policies where client_id = $1`,
    [
      tx.client_id,
      JSON.stringify(policy.entries),
      JSON.stringify(policy.minimums),
      policy.applies_to_kept,
      policy.note,
      policy.by,
      policy.confirmed_by,
    ],
  )
}

/** Facts outside the row that decide about expiry. */
interface Gates {
  /** Database time. */
  now: number
  /** Last deletion; null: never. */
  deleted_at: number | null
  /** Apps that confirmed the payload and the last time. Receipts of people do not count. */
  receipts: string[]
  receipt_confirmed_at: number | null
  deliveries: Delivery[]
  is_written_off: boolean
  awaits_sign_off: boolean
}

/** Facts that allow or delay the expiry of a payload. */
async function findGates(q: Queryable, payload_id: number): Promise<Gates> {
  const gates = await q.row<Gates>(
    `select ${CLOCK} as now, coalesce(r.receipts, '{}') as receipts, r.receipt_confirmed_at,
       (select ${DELIVERIES} from payloads p where p.client_id = $1 and p.payload_id = $2) as deliveries,
       exists (select from payloads p, payload_write_offs a where p.client_id = $1 and p.payload_id = $2 and ${WRITTEN_OFF}) as is_written_off,
       exists (select from payloads p where p.client_id = $1 and p.payload_id = $2 and ${AWAITS_SIGN_OFF}) as awaits_sign_off,
       (select max(at) from payload_history y where y.client_id = $1 and y.payload_id = $2 and y.to_state = ${STATE_CODES.Deleted}) as deleted_at
     from (select array_agg(r.client_app_user) as receipts, max(r.confirmed_at) as receipt_confirmed_at
       from payloads p, ${APP_RECEIPTS} and p.client_id = $1 and p.payload_id = $2) r`,
    [q.client_id, payload_id],
  )
  // Without a database time nothing is due.
  return (
    gates ?? {
      now: Number.NaN,
      deleted_at: null,
      receipts: [],
      deliveries: [],
      receipt_confirmed_at: null,
      is_written_off: false,
      awaits_sign_off: true,
    }
  )
}

/** Facts from the payload's row. */
type RetainedPayload = { payload_id: number } & Omit<
  RetentionItem,
  | 'deleted_at'
  | 'transferred_at'
  | 'receipt_confirmed_at'
  | 'is_alerted'
  | 'is_written_off'
  | 'awaits_sign_off'
>

/** Time at which a payload counts as transferred (`transferredAt`); undefined: not yet. */
export async function getTransferred(
  q: Queryable,
  { payload_id, ...known }: RetainedPayload,
): Promise<number | undefined> {
  const deliveries =
    (await q.value<Delivery[]>(
      `select ${DELIVERIES} as deliveries from payloads p where p.client_id = $1 and p.payload_id = $2`,
      [q.client_id, payload_id],
    )) ?? []
  if (deliveries.length === 0) return undefined
  const rule = ruleFor(known, await allPolicies(q))
  return transferredAt(rule?.required_transfers ?? [], deliveries) ?? undefined
}

/** Expiry of a payload by `decide`: due time and reasons to keep, including holds; null: never. Database time. */
export async function getDisposition(
  q: Queryable,
  { payload_id, ...known }: RetainedPayload,
): Promise<RetentionDisposition | null> {
  const versions = await allPolicies(q)
  const rule = ruleFor(known, versions)
  if (!rule) return null
  const { now, receipts, deliveries, ...gates } = await findGates(q, payload_id)
  const payload: RetentionItem = {
    ...known,
    ...gates,
    transferred_at: transferredAt(rule.required_transfers, deliveries),
    // A payload is marked late only with an alert.
    is_alerted: known.is_late,
  }
  const holds = (await getHoldPeriods(q, [payload_id])).get(payload_id) ?? []
  const policy = { rules: [rule], minimums: versions.at(-1)?.minimums ?? [] }
  const minimum = policy.minimums.find(({ payload_type }) => payload_type === known.payload_type)
  const { delete_at, destroy_at, set_by, blocked_by } = decide(
    { payload, policy, holds, receipts, transfers: deliveredBy(deliveries) },
    now,
  )
  return {
    delete_at,
    destroy_at,
    set_by,
    basis: rule.retention_timestamp,
    blocked_by: [...blocked_by],
    ...(rule.delete_after_days !== undefined && { delete_after_days: rule.delete_after_days }),
    ...(rule.destroy_after_days !== undefined && { destroy_after_days: rule.destroy_after_days }),
    ...(set_by === 'minimum' && minimum && { legal_basis: minimum.legal_basis }),
  }
}

/** Restarts all passes at the next run, because skipped payloads may now be due. */
export async function restartPasses(tx: Tx): Promise<void> {
  await tx.query(
    `update retention_positions set began_at = 0 where client_id = $1 and ended_at is not null`,
    [tx.client_id],
  )
}
