import { PayloadDocument, type PayloadState, type PayloadSummary, type PayloadType } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { stateOfCode, typeOfCode } from './codes.ts'
import { ObjectDetails, type StoredObject } from './data-objects.ts'
import { resolveFilter } from './lists/store/filter.ts'
import { readListTotal } from './lists/store/total.ts'

/** SQL: that with row `a` of `payload_abandonments` somebody gave up waiting for payload `p`, and nothing has come since. */
export const GIVEN_UP = `a.client_id = p.client_id and a.payload_id = p.payload_id and a.at >= coalesce(p.uploaded_at, 0)`

export { deletePayloads } from './deletion-store.ts'

export { countEveryPayload, everyPayloadSql } from './lists/store/every.ts'
export { STILL_ON_PHONE } from './state-store.ts'
export { reassignBatch } from './intake/reassign-store.ts'
export { findWordIndex, isComplete, resultOf, TYPES_WITH_WORDS, wantWordIndex } from './word-store.ts'

/** What must be known of a payload before its data is handed out. */
export interface DataSubject {
  payload_id: number
  payload_reference: string
  payload_type: PayloadType
  payload_state: PayloadState
  group_id: number
  objects: StoredObject[]
}

/** The payloads of the tenant with these references and their openable objects; unknown references are left out. */
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
    'data_subjects',
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
    'data_objects',
  )
  for (const { payload_id, details, ...row } of objects.rows) {
    const known = ObjectDetails.safeParse(details)
    subjects.get(payload_id)?.objects.push({ ...row, details: known.success ? known.data : {} })
  }
  return new Map([...subjects.values()].map((subject) => [subject.payload_reference, subject]))
}

/** Notes in the audit of payloads what somebody did with them. */
export async function notePayloadAudit(
  tx: Tx,
  payload_ids: readonly number[],
  entry: { at: number; log_id: string; portal_user: string; action: string },
): Promise<void> {
  await tx.query(
    `insert into payload_audit (client_id, payload_id, at, log_id, portal_user, action)
     select $1, id, $3, $4, $5, $6 from unnest($2::bigint[]) id`,
    [tx.client_id, payload_ids, entry.at, entry.log_id, entry.portal_user, entry.action],
    'payload_audit_insert',
  )
}

/** A payload as far as rights look at it. */
export interface PayloadSubject {
  payload_reference: string
  payload_type: PayloadType
  group_id: number
}

/** The payloads of the tenant with these references, whoever may see them; unknown references are left out. */
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

/** What tells one recording from others in a sentence, and what rights look at. */
export interface RecordingFacts
  extends
    PayloadSubject,
    Pick<
      PayloadSummary,
      'payload_time' | 'parties' | 'party_count' | 'device_reference' | 'device_user_reference'
    > {
  payload_id: number
}

/** The recordings of the tenant with these references, whoever may see them; unknown references are left out. */
export async function findRecordings(q: Queryable, references: readonly string[]): Promise<RecordingFacts[]> {
  const { rows } = await q.query<
    Omit<RecordingFacts, 'payload_type' | 'parties' | 'party_count'> & {
      type: number
      list_doc: string | null
    }
  >(
    `select p.payload_id, p.payload_reference, p.type, p.group_id, coalesce(p.claimed_time, p.payload_time) as payload_time,
       v.device_reference, u.device_user_reference, o.list_doc
     from payloads p join devices v using (device_id) left join device_users u on u.device_user_id = p.device_user_id
     left join payload_documents o on o.payload_id = p.payload_id
     where p.client_id = $1 and p.payload_reference = any($2)`,
    [q.client_id, references],
    'recordings_find',
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

/** How many payloads lists show to who has the action in `access`; capped as totals of lists are. */
export async function countVisible(
  q: Queryable,
  access: Access,
  action: string,
): Promise<{ total: number; is_capped?: boolean }> {
  const filter = await resolveFilter(q, access, action, { date_filter: 'payload_time', order: 'newest' })
  return filter ? readListTotal(q, filter) : { total: 0 }
}
