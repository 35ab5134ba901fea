import type { ApprovalState, SupportAccess } from '@custodia/contract'
import { stateAt } from '@custodia/domain'
import type { GlobalQueryable, Queryable, Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'
import type { PersonIdentity } from '../sessions/store.ts'

const COLUMNS = `s.request_reference, c.client, s.role, s.request_description, s.requested_expiry, s.requested_by, s.requester_name, s.requested_at,
  s.approval_state, s.approval_expiry, s.approved_by, s.rejection_reason, s.updated_at, s.updated_by`
const FROM = 'support_access s join clients c using (client_id)'

/** As `stateAt` of the domain says it at the second `$1`; a test compares the two. */
const STATE = `case
  when s.approval_state = 'pending' and s.requested_expiry <= $1 then 'expired'
  when s.approval_state = 'approved' and least(coalesce(s.approval_expiry, 0), s.requested_expiry) <= $1 then 'expired'
  else s.approval_state end`

/** As it is shown: a time that has passed makes it expired, whether or not that was written. */
export const shown = (row: SupportAccess, now: number): SupportAccess => ({
  ...row,
  approval_state: stateAt(row, now),
})

/** One request to the client, as it was written. */
export async function findSupportAccess(
  q: GlobalQueryable,
  client_id: number,
  request_reference: string,
): Promise<SupportAccess | undefined> {
  return find(q, client_id, request_reference, '')
}

/** As `findSupportAccess`, locked until the transaction ends. */
export async function lockSupportAccess(
  tx: Tx,
  request_reference: string,
): Promise<SupportAccess | undefined> {
  return find(tx, tx.client_id, request_reference, 'for update of s')
}

function find(q: GlobalQueryable, client_id: number, request_reference: string, lock: string) {
  return q.row<SupportAccess>(
    `select ${COLUMNS} from ${FROM} where s.client_id = $1 and s.request_reference = $2 ${lock}`,
    [client_id, request_reference],
  )
}

export interface SupportFilter {
  /** Null: of all clients, for a connection that may see them. */
  client_id: number | null
  /** As shown at `now`; undefined: any. */
  states: readonly ApprovalState[] | undefined
  now: number
}

const MATCHES = `($2::int is null or s.client_id = $2) and ($3::text[] is null or ${STATE} = any($3))`
const getValues = ({ client_id, states, now }: SupportFilter) => [now, client_id, states ?? null]

/** Requests behind a place (undefined: from the top), newest first, as shown. */
export async function listSupportAccess(
  q: GlobalQueryable,
  filter: SupportFilter,
  after: readonly (string | number)[] | undefined,
  limit: number,
): Promise<SupportAccess[]> {
  const [requested_at, request_reference] = after ?? [null, null]
  const { rows } = await q.query<SupportAccess>(
    `select ${COLUMNS} from ${FROM} where ${MATCHES}
       and ($4::bigint is null or (s.requested_at, s.request_reference) < ($4, $5))
     order by s.requested_at desc, s.request_reference desc limit $6`,
    [...getValues(filter), requested_at, request_reference, limit],
  )
  return rows.map((row) => shown(row, filter.now))
}

/** Approved requests of the client, most 1,000. */
export const listApproved = (q: Queryable, now: number): Promise<SupportAccess[]> =>
  listSupportAccess(q, { client_id: q.client_id, states: ['approved'], now }, undefined, 1000)

/** How many requests pass the filter. */
export function countSupportAccess(q: GlobalQueryable, filter: SupportFilter): Promise<number> {
  return q.count(`select count(*)::int as total from support_access s where ${MATCHES}`, getValues(filter))
}

/** Writes a request that waits for the client. */
export async function insertSupportAccess(
  tx: Tx,
  request: Pick<
    SupportAccess,
    | 'request_reference'
    | 'role'
    | 'request_description'
    | 'requested_expiry'
    | 'requested_by'
    | 'requester_name'
    | 'requested_at'
  >,
  requester: PersonIdentity | undefined,
): Promise<void> {
  await tx.query(
    `insert into support_access (client_id, request_reference, role, request_description, requested_expiry, requested_by,
       requested_at, updated_at, updated_by, requested_issuer, requested_subject, requester_name)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $6, $8, $9, $10)`,
    [
      tx.client_id,
      request.request_reference,
      request.role,
      request.request_description,
      request.requested_expiry,
      request.requested_by,
      request.requested_at,
      requester?.issuer ?? null,
      requester?.subject ?? null,
      request.requester_name,
    ],
  )
}

/** Whether a person of the client is the requester: the same subject of the same identity provider. */
export async function isRequester(
  q: Queryable,
  request_reference: string,
  user_reference: string,
): Promise<boolean> {
  const { rowCount } = await q.query(
    `select from support_access s join portal_people p
       on p.client_id = s.client_id and p.issuer = s.requested_issuer and p.subject = s.requested_subject
     where s.client_id = $1 and s.request_reference = $2 and p.user_reference = $3`,
    [q.client_id, request_reference, user_reference],
  )
  return rowCount > 0
}

/** Writes what became of a locked request. */
export async function writeDecision(
  tx: Tx,
  decided: Pick<
    SupportAccess,
    | 'request_reference'
    | 'approval_state'
    | 'approval_expiry'
    | 'approved_by'
    | 'rejection_reason'
    | 'updated_at'
    | 'updated_by'
  >,
): Promise<void> {
  await tx.query(
    `update support_access set approval_state = $3, approval_expiry = $4, approved_by = $5, rejection_reason = $6,
       updated_at = $7, updated_by = $8
     where client_id = $1 and request_reference = $2`,
    [
      tx.client_id,
      decided.request_reference,
      decided.approval_state,
      decided.approval_expiry,
      decided.approved_by,
      decided.rejection_reason,
      decided.updated_at,
      decided.updated_by,
    ],
  )
}

/** Whether the client has made a role of that name. */
export async function hasOwnRole(q: Queryable, role_reference: string): Promise<boolean> {
  const { rowCount } = await q.query('select from roles where client_id = $1 and role_reference = $2', [
    q.client_id,
    role_reference,
  ])
  return rowCount > 0
}

/** An approval that staff name, with what its client is like now. */
export interface NamedApproval extends Pick<
  SupportAccess,
  | 'request_reference'
  | 'client'
  | 'role'
  | 'requested_by'
  | 'requested_expiry'
  | 'approval_state'
  | 'approval_expiry'
> {
  client_id: number
  client_name: string
  access_epoch: number
  suspended_at: number | null
}

/** Which client a request is to. It never changes. */
export function findClientOfRequest(db: Database, request_reference: string): Promise<number | undefined> {
  return db.acrossClients((q) =>
    q.value<number>('select client_id from support_access where request_reference = $1', [request_reference]),
  )
}

/** What a call in support mode must know of its approval, in one row. */
export function readApproval(
  db: Database,
  client_id: number,
  request_reference: string,
): Promise<NamedApproval | undefined> {
  return db.read(client_id, (q) =>
    q.row<NamedApproval>(
      `select s.client_id, s.request_reference, s.role, s.requested_by, s.requested_expiry, s.approval_state, s.approval_expiry,
         c.client, c.client_name, c.access_epoch, c.suspended_at
       from support_access s join clients c using (client_id) where s.client_id = $1 and s.request_reference = $2`,
      [client_id, request_reference],
    ),
  )
}
