import {
  type DataRequest,
  type DataRequestDetail,
  DAY,
  REQUEST_KEPT_DAYS,
  REQUEST_WARNING_DAYS,
  type RequestKind,
  type RequestState,
} from '@custodia/contract'
import { type AlertIdentity, raiseAlert } from '../alerts/raise.ts'
import { clientColumn, listClients } from '../clients/store.ts'
import { PERSON_NAME, PORTAL_USER_NAME } from '../device-records/names-store.ts'
import { CLOCK } from '../held-records/store.ts'
import { periodicJob } from '../jobs/kind.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { SealedReason } from '../reasons/reasons.ts'

const SUBJECT_NAME = `case r.subject_type
    when 'DeviceUser' then (select ${PERSON_NAME('u')} from device_users u
      where u.client_id = r.client_id and u.device_user_id = r.device_user_id)
    when 'PortalUser' then ${PORTAL_USER_NAME('r.client_id', 'r.subject')} end`
const COLUMNS = `${clientColumn('r.client_id')}, r.data_request_id, r.kind, r.law, r.subject_type, r.subject, ${SUBJECT_NAME} as subject_name, r.received_at, r.due_at,
  r.opened_at, r.opened_by, r.state, r.closed_at, r.closed_by, r.closed_at + ${REQUEST_KEPT_DAYS * 86_400}::bigint as destroy_at,
  coalesce(r.closed_by, r.opened_by) as updated_by`

interface RequestFilter {
  state?: RequestState | undefined
  kind?: RequestKind | undefined
  subject?: string | undefined
}

const FILTER = `r.client_id = $1 and ($2::text is null or r.state = $2) and ($3::text is null or r.kind = $3) and ($4::text is null or r.subject = $4)`
const getValues = (q: Queryable, { state, kind, subject }: RequestFilter) => [
  q.client_id,
  state ?? null,
  kind ?? null,
  subject ?? null,
]

/** List cursor. */
export type RequestPlace = readonly [has_ended: number, turn: number, data_request_id: string]

/** SQL: open requests first by due date, then closed ones, latest first; as in the list index. */
const HAS_ENDED = `(case r.state when 'Open' then 0 else 1 end)`
const TURN = `(case r.state when 'Open' then coalesce(r.due_at, r.received_at) else -r.closed_at end)`

/** Requests after a cursor in due order, each with its cursor. */
export async function listRequests(
  q: Queryable,
  filter: RequestFilter,
  { after, limit }: { after: RequestPlace | undefined; limit: number },
): Promise<{ request: DataRequest; place: RequestPlace }[]> {
  const { rows } = await q.query<DataRequest & { has_ended: number; turn: number }>(
    `select ${COLUMNS}, ${HAS_ENDED} as has_ended, ${TURN} as turn from data_requests r
     where ${FILTER} and ($5::int is null or (${HAS_ENDED}, ${TURN}, r.data_request_id) > ($5, $6::bigint, $7::text))
     order by ${HAS_ENDED}, ${TURN}, r.data_request_id limit $8`,
    [...getValues(q, filter), ...(after ?? [null, null, null]), limit],
  )
  return rows.map(({ has_ended, turn, ...request }) => ({
    request,
    place: [has_ended, turn, request.data_request_id],
  }))
}

export function countRequests(q: Queryable, filter: RequestFilter): Promise<number> {
  return q.count(`select count(*)::int as total from data_requests r where ${FILTER}`, getValues(q, filter))
}

export type FoundRequest = DataRequest & { device_user_id: number | null }

/** Finds a request in any state. */
export function findRequest(q: Queryable, data_request_id: string): Promise<FoundRequest | undefined> {
  return q.row<FoundRequest>(
    `select ${COLUMNS}, r.device_user_id from data_requests r where r.client_id = $1 and r.data_request_id = $2`,
    [q.client_id, data_request_id],
  )
}

/** Sealed note and closing reason. */
export async function findRequestTexts(
  q: Queryable,
  data_request_id: string,
): Promise<{ note: SealedReason | null; reason: SealedReason | null }> {
  const { rows } = await q.query<SealedReason & { is_reason: boolean }>(
    `select t.reason_id, t.sealed_reason, t.wrapped_key, t.reason_id is not distinct from r.reason_id as is_reason from data_requests r
     join legal_hold_reasons t on t.client_id = r.client_id and t.reason_id in (r.note_id, r.reason_id)
     where r.client_id = $1 and r.data_request_id = $2`,
    [q.client_id, data_request_id],
  )
  const of = (is: boolean) => rows.find(({ is_reason }) => is_reason === is) ?? null
  return { note: of(false), reason: of(true) }
}

/** Copies of a request, newest first. */
export function listCopies(q: Queryable, data_request_id: string): Promise<DataRequestDetail['copies']> {
  return q.rows<DataRequestDetail['copies'][number]>(
    `select export_id, made_at, made_by, items, refused, deleted, is_cut from data_request_copies
     where client_id = $1 and data_request_id = $2 order by made_at desc, export_id desc limit 100`,
    [q.client_id, data_request_id],
  )
}

/** Device user with this reference, or undefined. */
export function findSubject(q: Queryable, device_user_reference: string): Promise<number | undefined> {
  return q.value<number>(
    'select device_user_id from device_users where client_id = $1 and device_user_reference = $2',
    [q.client_id, device_user_reference],
  )
}

/** Fields of a new request; its note is already stored. */
type NewRequest = Pick<
  FoundRequest,
  | 'data_request_id'
  | 'kind'
  | 'law'
  | 'subject_type'
  | 'subject'
  | 'device_user_id'
  | 'received_at'
  | 'due_at'
  | 'opened_by'
> & { note_id: string | null }

export async function insertRequest(tx: Tx, request: NewRequest): Promise<void> {
  await tx.query(
    `insert into data_requests (client_id, data_request_id, kind, law, subject_type, subject, device_user_id, received_at, due_at,
       opened_at, opened_by, note_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${CLOCK}, $10, $11)`,
    [
      tx.client_id,
      request.data_request_id,
      request.kind,
      request.law,
      request.subject_type,
      request.subject,
      request.device_user_id,
      request.received_at,
      request.due_at,
      request.opened_by,
      request.note_id,
    ],
  )
}

/** Locks a request against closing and copying until the transaction ends; undefined for an unknown one. */
export function lockRequest(tx: Tx, data_request_id: string): Promise<RequestState | undefined> {
  return tx.value<RequestState>(
    'select state from data_requests where client_id = $1 and data_request_id = $2 for update',
    [tx.client_id, data_request_id],
  )
}

/** Closes a locked, open request. */
export async function endRequest(
  tx: Tx,
  data_request_id: string,
  { state, by, reason_id }: { state: Exclude<RequestState, 'Open'>; by: string; reason_id: string },
): Promise<void> {
  await tx.query(
    `update data_requests set state = $3, closed_at = greatest(${CLOCK}, opened_at), closed_by = $4, reason_id = $5
     where client_id = $1 and data_request_id = $2`,
    [tx.client_id, data_request_id, state, by, reason_id],
  )
}

/** Stores that a copy was made. */
export async function insertCopy(
  tx: Tx,
  data_request_id: string,
  copy: DataRequestDetail['copies'][number],
): Promise<void> {
  await tx.query(
    `insert into data_request_copies (client_id, data_request_id, export_id, made_at, made_by, items, refused, is_cut, deleted)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      tx.client_id,
      data_request_id,
      copy.export_id,
      copy.made_at,
      copy.made_by,
      copy.items,
      copy.refused,
      copy.is_cut,
      copy.deleted,
    ],
  )
}

/** Open requests that are overdue or due within some seconds. */
function findDue(q: Queryable, within: number): Promise<string[]> {
  return q.column<string>(
    `select data_request_id from data_requests where client_id = $1 and state = 'Open' and due_at <= ${CLOCK} + $2::bigint
     order by due_at, data_request_id limit 1000`,
    [q.client_id, within],
  )
}

/** Database time in epoch seconds. */
export async function readTime(q: Queryable): Promise<number> {
  const { rows } = await q.query<{ now: number }>(`select ${CLOCK} as now`, [])
  // Without a database time nothing is due.
  return rows[0]?.now ?? Number.NaN
}

/** The alert of one open request. */
export const getAlert = (data_request_id: string, now: number): AlertIdentity => ({
  alert_scopes: ['ops'],
  alert_key: `data_request ${data_request_id}`,
  now,
})

/** Raises a daily alert for each open request near or past its due date, without the subject. */
export const watchDataRequests = periodicJob({
  name: 'data_requests.watch',
  every: DAY,
  async run(ctx) {
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, async (tx) => {
        const now = await readTime(tx)
        for (const data_request_id of await findDue(tx, REQUEST_WARNING_DAYS * DAY))
          await raiseAlert(tx, {
            ...getAlert(data_request_id, now),
            text: 'data_request_due',
            alert_type: 'AccountAlert',
            alert_severity: 'Medium',
            values: { days: String(REQUEST_WARNING_DAYS) },
            related_entities: [{ entity_id: data_request_id, entity_type: 'DataRequest' }],
          })
      })
  },
})
