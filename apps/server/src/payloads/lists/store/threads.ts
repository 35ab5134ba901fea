import { MESSAGE_TYPES, PayloadDocument, type Thread } from '@custodia/contract'
import { getCodes, typeOfCode } from '../../../payload-records/codes.ts'
import { type Bind, binder } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import type { Scope, ScopePart } from './scope.ts'

/** A place in a list of conversations: the time of the last visible message, then the thread. */
export type ThreadKey = readonly [last_message_at: number, thread_id: string]

/** A conversation as its statement returns it. */
export interface ThreadRow {
  thread_id: string
  message_count: number
  types: number[]
  last_message_at: number
  last_payload_reference: string
  list_doc: string | null
}

/**
 * Conversations of a device behind a place (absent: from the top), by their last visible message. Reads the
 * counts of threads, so the cost does not grow with the messages.
 */
export async function listThreads(
  q: Queryable,
  { scope, device_id }: { scope: Scope; device_id: number },
  { after, limit }: { after: ThreadKey | undefined; limit: number },
): Promise<Thread[]> {
  const { bind, values } = binder([q.client_id, device_id])
  const mine = mineSql(scope, bind)
  const behind = after
    ? `having (max(last_time), thread_id) < (${bind(after[0], 'bigint')}, ${bind(after[1], 'text')})`
    : ''
  const text = `with t as materialized (
    select thread_id, max(last_time) as last_message_at from thread_counts c where ${mine} group by thread_id ${behind}
    order by last_message_at desc, thread_id desc limit ${bind(limit, 'int')})
  select t.thread_id, message_count, types, t.last_message_at, p.payload_reference as last_payload_reference, o.list_doc
  from t cross join lateral (
    select sum(count)::int as message_count, array_agg(distinct type) as types,
      (array_agg(last_payload_id order by last_time desc, last_payload_id desc))[1] as last_payload_id
    from thread_counts c where c.thread_id = t.thread_id and ${mine}) c
  join payloads p on p.payload_id = c.last_payload_id left join payload_documents o on o.payload_id = c.last_payload_id
  order by last_message_at desc, thread_id desc`
  const { rows } = await q.query<ThreadRow>(text, values)
  return rows.map((row) => toThread(row))
}

/** The number of a device's conversations with a visible message. */
export function countThreads(
  q: Queryable,
  { scope, device_id }: { scope: Scope; device_id: number },
): Promise<number> {
  const { bind, values } = binder([q.client_id, device_id])
  const text = `select count(distinct thread_id)::int as total from thread_counts c where ${mineSql(scope, bind)}`
  return q.count(text, values)
}

const mineSql = (scope: Scope, bind: Bind): string =>
  `c.client_id = $1 and c.device_id = $2 and ${inScopeSql(scope, bind, 'c')}`

/** Condition: a row with `type` and `group_id`, of messages, is in the scope. */
export const inScopeSql = (scope: Scope, bind: Bind, table: string): string =>
  `(${scope.map((part) => partSql(part, bind, table)).join(' or ')})`

const ALL_TYPES = getCodes(MESSAGE_TYPES)
const partSql = ({ types, groups }: ScopePart, bind: Bind, table: string): string =>
  [
    `${table}.type = any(${bind(types ?? ALL_TYPES, 'smallint[]')})`,
    ...(groups ? [`${table}.group_id = any(${bind(groups, 'int[]')})`] : []),
  ].join(' and ')

/** The row with its parties and the names of its types. */
export function toThread<Row extends ThreadRow>({
  types,
  list_doc,
  ...row
}: Row): Omit<Row, 'types' | 'list_doc'> & Thread {
  const { parties = [], party_count = parties.length } = PayloadDocument.parse(JSON.parse(list_doc ?? '{}'))
  return {
    ...row,
    message_types: types.map((type) => typeOfCode(type)) as Thread['message_types'],
    parties,
    party_count,
  }
}
