import {
  type FailureCode,
  PayloadDocument,
  type PayloadState,
  type PayloadSummary,
  type PayloadType,
} from '@custodia/contract'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { STATE_CODES, stateOfCode, typeOfCode } from './codes.ts'

/** SQL: whether payload `p` belongs to an unaccepted migration run, or took its data from one. */
export const AWAITS_SIGN_OFF = `(p.is_legacy and exists (select from migration_results m join migration_runs g using (client_id, migration_reference)
  where m.client_id = p.client_id and m.payload_id = p.payload_id and g.signed_off_at is null))`

/**
 * SQL: receipts `r` of client apps for payload `p`. A duplicate counts as confirmed with its first message, because apps
 * do not see it in lists while the first one is there.
 */
export const APP_RECEIPTS = `payload_receipts r where r.client_id = p.client_id and not r.is_person
  and r.payload_id = any(array(select c.first_payload_id from payload_copies c
    where c.client_id = p.client_id and c.payload_id = p.payload_id) || p.payload_id)`

/** Failures in transit: the device has the whole payload, so a new upload helps. */
export const RESENDABLE: ReadonlySet<string> = new Set<FailureCode>(['wrong_checksum', 'wrong_size'])

/** SQL: whether only the device has the bytes of payload `p`: they never arrived, or must be sent again. */
export const STILL_ON_DEVICE = `(p.state = ${STATE_CODES.Recorded} or (p.state = ${STATE_CODES.Failed} and p.failure = any('{${[...RESENDABLE].join()}}')))`

/** The fields of a payload that permissions need. */
export interface PayloadSubject {
  payload_reference: string
  payload_type: PayloadType
  group_id: number
}

/** The payloads of the tenant with these references, without a permission check; unknown references are left out. */
export async function findPayloadSubjects(
  q: Queryable,
  references: readonly string[],
): Promise<PayloadSubject[]> {
  const { rows } = await q.query<{ payload_reference: string; type: number; group_id: number }>(
    'select payload_reference, type, group_id from payloads where client_id = $1 and payload_reference = any($2)',
    [q.client_id, references],
  )
  return rows.map(({ type, ...row }) => ({ ...row, payload_type: typeOfCode(type) }))
}

/** The facts that identify a recording in a sentence, and those that permissions need. */
export interface RecordingFacts
  extends
    PayloadSubject,
    Pick<
      PayloadSummary,
      'payload_time' | 'parties' | 'party_count' | 'device_reference' | 'device_user_reference'
    > {
  payload_id: number
  device_user_id: number | null
}

/** The recordings of the tenant with these references, without a permission check; unknown references are left out. */
export async function findRecordings(q: Queryable, references: readonly string[]): Promise<RecordingFacts[]> {
  const { rows } = await q.query<
    Omit<RecordingFacts, 'payload_type' | 'parties' | 'party_count'> & {
      type: number
      list_doc: string | null
    }
  >(
    `select p.payload_id, p.payload_reference, p.type, p.group_id, p.device_user_id, coalesce(p.claimed_time, p.payload_time) as payload_time,
       v.device_reference, u.device_user_reference, o.list_doc
     from payloads p join devices v using (device_id) left join device_users u on u.device_user_id = p.device_user_id
     left join payload_documents o on o.payload_id = p.payload_id
     where p.client_id = $1 and p.payload_reference = any($2)`,
    [q.client_id, references],
  )
  return rows.map(({ type, list_doc, ...row }) => {
    const { parties, party_count } = list_doc === null ? {} : PayloadDocument.parse(JSON.parse(list_doc))
    return {
      ...row,
      payload_type: typeOfCode(type),
      ...(parties && { parties }),
      ...(party_count !== undefined && { party_count }),
    }
  })
}

/** Writes access to payloads into the payload audit. */
export async function notePayloadAudit(
  tx: Tx,
  payload_ids: readonly number[],
  entry: { at: number; log_id: string; portal_user: string; action: string; detail?: string | null },
): Promise<void> {
  await tx.query(
    `insert into payload_audit (client_id, payload_id, at, log_id, portal_user, action, detail)
     select $1, id, $3, $4, $5, $6, $7 from unnest($2::bigint[]) id`,
    [
      tx.client_id,
      payload_ids,
      entry.at,
      entry.log_id,
      entry.portal_user,
      entry.action,
      entry.detail ?? null,
    ],
  )
}

/** The states of a recording, the groups and people that it left, in order, and when legal matters held these people. */
export interface RecordingPast {
  states: { at: number; payload_state: PayloadState }[]
  owners: { until: number; group_id: number; device_user_id: number | null }[]
  matters: { matter_id: string; device_user_id: number; from: number; until: number | null }[]
}

/** What the state, the group and the person of a recording were, by its histories. */
export async function findRecordingPast(
  q: Queryable,
  { payload_id, device_user_id }: Pick<RecordingFacts, 'payload_id' | 'device_user_id'>,
): Promise<RecordingPast> {
  const states = await q.query<{ at: number; to_state: number }>(
    'select at, to_state from payload_history where client_id = $1 and payload_id = $2 order by at, entry_id',
    [q.client_id, payload_id],
  )
  const owners = await q.query<RecordingPast['owners'][number]>(
    `select at as until, from_group as group_id, from_user as device_user_id from payload_reassignments
     where client_id = $1 and payload_id = $2 order by at, entry_id`,
    [q.client_id, payload_id],
  )
  const matters = await q.query<RecordingPast['matters'][number]>(
    `select x.matter_id, h.device_user_id, x.added_at as from, x.removed_at as until
     from legal_matter_people x join legal_holds h using (client_id, target_type, target)
     where x.client_id = $1 and h.device_user_id = any($2)`,
    [q.client_id, [device_user_id, ...owners.rows.map((each) => each.device_user_id)]],
  )
  return {
    states: states.rows.map(({ at, to_state }) => ({ at, payload_state: stateOfCode(to_state) })),
    owners: owners.rows,
    matters: matters.rows,
  }
}

/** Locks the policies against other saves until the transaction ends. */
export async function lockPolicies(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('retention:' || $1::text, 0))`, [
    tx.client_id,
  ])
}

/**
 * Whether payloads wait for a client app's receipt, or a transfer config's delivery, before they expire: without it they
 * would stay for good. A policy that applies to kept payloads ends the ones before it.
 */
export async function isRequiredGate(
  tx: Tx,
  gate: 'required_receipts' | 'required_transfers',
  reference: string,
): Promise<boolean> {
  await lockPolicies(tx)
  const found = await tx.value<boolean>(
    `select exists (select from retention_policies p, jsonb_array_elements(p.entries) e
       where p.client_id = $1 and e -> $2::text ? $3::text and p.policy_version >= coalesce(
         (select max(k.policy_version) from retention_policies k where k.client_id = $1 and k.applies_to_kept), 0))`,
    [tx.client_id, gate, reference],
  )
  return found === true
}
