import {
  ALTERED_FAILURES,
  type Dashboard,
  type Ownership,
  type PayloadState,
  type PayloadType,
} from '@custodia/contract'
import type { Access } from '@custodia/domain'
import type { PortalUser } from '../http/context.ts'
import { serviceOfCode, STATE_CODES, stateOfCode, typeOfCode } from '../payload-records/codes.ts'
import { binder } from '../ports/database/binder.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { ObjectDetails, type StoredObject } from './data-objects.ts'
import { lanesSql } from './lanes-sql.ts'
import { resolveFilter } from './lists/store/filter.ts'
import { readListTotal } from './lists/store/total.ts'

/** SQL: whether row `a` of `payload_write_offs` writes off payload `p` and the payload has not arrived since. */
export const WRITTEN_OFF = `a.client_id = p.client_id and a.payload_id = p.payload_id and a.at >= coalesce(p.uploaded_at, 0)`

export { countsSql, HAS_PARTS } from './state-store.ts'
export { notePayloadAudit } from '../payload-records/store.ts'
export { deletePayloads } from './deletion-store.ts'

export { countEveryPayload, everyPayloadSql } from './lists/store/rows.ts'
export { reassignBatch } from './intake/reassign-store.ts'
export { findWordIndex, isComplete, getResult, TYPES_WITH_WORDS, wantWordIndex } from './word-store.ts'

/** What must be known of a payload before its data is disclosed. */
export interface DataSubject {
  payload_id: number
  payload_reference: string
  payload_type: PayloadType
  payload_state: PayloadState
  group_id: number
  objects: StoredObject[]
}

/**
 * The payloads of the tenant with these references and their existing objects; unknown references are left
 * out.
 */
export async function findDataSubjects(
  q: Queryable,
  references: readonly string[],
): Promise<Map<string, DataSubject>> {
  const payloads = await q.query<{
    payload_id: number
    payload_reference: string
    type: number
    state: number
    group_id: number
  }>(
    `select payload_id, payload_reference, type, state, group_id from payloads
     where client_id = $1 and payload_reference = any($2)`,
    [q.client_id, references],
  )
  const subjects = new Map<number, DataSubject>()
  for (const { type, state, ...row } of payloads.rows) {
    const subject = { ...row, payload_type: typeOfCode(type), payload_state: stateOfCode(state), objects: [] }
    subjects.set(row.payload_id, subject)
  }
  const objects = await q.query<StoredObject & { payload_id: number }>(
    `select payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, checksum, details from payload_objects
     where client_id = $1 and payload_id = any($2) and wrapped_dek is not null order by kind`,
    [q.client_id, [...subjects.keys()]],
  )
  for (const { payload_id, details, ...row } of objects.rows) {
    const known = ObjectDetails.safeParse(details)
    subjects.get(payload_id)?.objects.push({ ...row, details: known.success ? known.data : {} })
  }
  return new Map([...subjects.values()].map((subject) => [subject.payload_reference, subject]))
}

/** The device users of these payloads with their number of payloads; null: payloads without one. */
export function findDeviceUsersOf(
  q: Queryable,
  payload_references: readonly string[],
): Promise<{ device_user_reference: string | null; payloads: number }[]> {
  return q.rows<{ device_user_reference: string | null; payloads: number }>(
    `select u.device_user_reference, count(*)::int as payloads from payloads p left join device_users u using (client_id, device_user_id)
     where p.client_id = $1 and p.payload_reference = any($2) group by 1 order by 1`,
    [q.client_id, payload_references],
  )
}

/** Failed and quarantined payloads in the lists of a holder of the action, by service. */
export async function countFaults(
  q: Queryable,
  access: Access,
  action: string,
): Promise<NonNullable<Dashboard['faults']>> {
  const { bind, values } = binder([q.client_id, ALTERED_FAILURES])
  const text = `select p.service,
      count(*) filter (where p.state = ${STATE_CODES.Failed} and p.failure = any($2::text[]))::int as altered,
      count(*) filter (where p.state = ${STATE_CODES.Quarantined})::int as quarantined,
      count(*) filter (where p.state = ${STATE_CODES.Failed} and p.failure <> all($2::text[]))::int as failed
    from payloads p where p.client_id = $1 and p.failure is not null and not p.is_copy
      and p.state in (${STATE_CODES.Failed}, ${STATE_CODES.Quarantined}) and ${lanesSql(access.lanes(action), bind, 'p')}
    group by p.service order by p.service`
  const { rows } = await q.query<{ service: number; altered: number; quarantined: number; failed: number }>(
    text,
    values,
  )
  return rows.map(({ service, ...counts }) => ({ service: serviceOfCode(service), ...counts }))
}

/** The number of payloads in the lists of a holder of the action in `access`; capped like list totals. */
export async function countVisible(
  q: Queryable,
  access: Access,
  action: string,
): Promise<{ total: number; is_capped?: boolean }> {
  const filter = await resolveFilter(q, access, action, { date_filter: 'payload_time', order: 'newest' })
  return filter ? readListTotal(q, filter) : { total: 0 }
}

/** A device user or a portal user, by the attributes that identify them. */
interface Identity {
  reference: string
  email: string | null
}

/** Whether the payload is the caller's own. A caller without a session of this client has no e-mail address here. */
export const readOwn = async (
  q: Queryable,
  payload_id: number,
  caller: Pick<PortalUser, 'user_reference' | 'session_id'>,
): Promise<Ownership> => (await readOwns(q, [payload_id], caller)).get(payload_id) ?? 'unknown'

/** As `readOwn`, for several payloads. */
export async function readOwns(
  q: Queryable,
  payload_ids: readonly number[],
  { user_reference, session_id }: Pick<PortalUser, 'user_reference' | 'session_id'>,
): Promise<Map<number, Ownership>> {
  const { rows } = await q.query<{
    payload_id: number
    holder: string | null
    holder_email: string | null
    email: string | null
  }>(
    `select p.payload_id, u.device_user_reference as holder, u.email as holder_email,
       (select s.email from portal_sessions s where s.session_id = $3 and s.client_id = $1) as email
     from payloads p left join device_users u on u.device_user_id = p.device_user_id
     where p.client_id = $1 and p.payload_id = any($2)`,
    [q.client_id, payload_ids, session_id],
  )
  return new Map(
    rows.map(({ payload_id, holder, holder_email, email }) => [
      payload_id,
      getOwn(holder ? { reference: holder, email: holder_email } : null, {
        reference: user_reference,
        email,
      }),
    ]),
  )
}

/**
 * Whether `holder` and `person` are the same: equal reference or e-mail address, ignoring case. Unknown when the device
 * had no holder, or when one e-mail address is missing.
 */
function getOwn(holder: Identity | null, person: Identity): Ownership {
  if (holder === null) return 'unknown'
  const names = ({ reference, email }: Identity) =>
    [reference, email].flatMap((each) => (each ? [each.toLowerCase()] : []))
  if (names(holder).some((each) => names(person).includes(each))) return 'own'
  return holder.email && person.email ? 'not_own' : 'unknown'
}

/** SQL: whether payload `p` is expected and late: it was announced or failed, and `markLate` raised an alert for it. */
const IS_LATE = `p.is_late and p.state in (${STATE_CODES.Recorded}, ${STATE_CODES.Failed})`

/**
 * Writes off a late payload; the first write-off counts. Resolves to its time by the database clock;
 * undefined when the payload is not expected or not late.
 */
export function writeOff(tx: Tx, payload_id: number, by: string): Promise<number | undefined> {
  return tx.value<number>(
    `with p as materialized (select p.* from payloads p where p.client_id = $1 and p.payload_id = $2 and ${IS_LATE} for update),
     before as (select a.at from p, payload_write_offs a where ${WRITTEN_OFF}),
     given_up as (
       insert into payload_write_offs (client_id, payload_id, at, by)
       select $1, payload_id, greatest(floor(extract(epoch from clock_timestamp()))::bigint, uploaded_at), $3 from p
       where not exists (select from before) returning at)
     select at from before union all select at from given_up`,
    [tx.client_id, payload_id, by],
  )
}
