import type { LegalMinimum, RetentionEntry, RetentionProposal } from '@custodia/contract'
import type { PolicyVersion } from '@custodia/domain'
import { CLOCK } from '../legal-holds/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** A policy as it was saved. */
export interface StoredPolicy extends PolicyVersion {
  policy_version: number
  minimums: LegalMinimum[]
  note: string | null
  by: string
}

const COLUMNS = 'policy_version, entries, minimums, applies_to_kept, note, at, by'

/** The policy that the account has, or undefined where nobody has saved one. */
export async function findPolicy(q: Queryable): Promise<StoredPolicy | undefined> {
  const [policy] = await findPolicies(q, undefined, 1)
  return policy
}

/** Policies before a version, the newest first. */
export async function findPolicies(
  q: Queryable,
  before: number | undefined,
  limit: number,
): Promise<StoredPolicy[]> {
  const { rows } = await q.query<StoredPolicy>(
    `select ${COLUMNS} from retention_policies where client_id = $1 and ($2::int is null or policy_version < $2)
     order by policy_version desc limit $3`,
    [q.client_id, before ?? null, limit],
    'retention_policies',
  )
  return rows
}

/** Every policy of the account, in the order in which they were saved: what decides about payloads asks for all. */
export async function allPolicies(q: Queryable): Promise<StoredPolicy[]> {
  const { rows } = await q.query<StoredPolicy>(
    `select ${COLUMNS} from retention_policies where client_id = $1 order by policy_version`,
    [q.client_id],
    'retention_history',
  )
  return rows
}

/** How many policies the account had. */
export async function countPolicies(q: Queryable): Promise<number> {
  const { rows } = await q.query<{ total: number }>(
    'select count(*)::int as total from retention_policies where client_id = $1',
    [q.client_id],
    'retention_count',
  )
  return rows[0]?.total ?? 0
}

/** Nobody else saves a policy of the account until the transaction ends. */
export async function lockPolicies(tx: Tx): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock(hashtextextended('retention:' || $1::text, 0))`,
    [tx.client_id],
    'retention_lock',
  )
}

/** What is written of a policy. */
export type NewPolicy = Required<RetentionProposal> & {
  entries: readonly RetentionEntry[]
  note: string | null
  by: string
}

/** Saves the next version; the policies must be locked. The time is the database's, and never before that of the version before. */
export async function insertPolicy(tx: Tx, policy: NewPolicy): Promise<void> {
  await tx.query(
    `insert into retention_policies (client_id, policy_version, entries, minimums, applies_to_kept, note, at, by)
     select $1, coalesce(max(policy_version), 0) + 1, $2::jsonb, $3::jsonb, $4, $5, greatest(${CLOCK}, max(at)), $6
     from retention_policies where client_id = $1`,
    [
      tx.client_id,
      JSON.stringify(policy.entries),
      JSON.stringify(policy.minimums),
      policy.applies_to_kept,
      policy.note,
      policy.by,
    ],
    'retention_insert',
  )
}
