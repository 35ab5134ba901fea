import { type Conversation, CONVERSATION_COUNTED, type Total } from '@custodia/contract'
import { PERSON_NAME } from '../../../device-records/names-store.ts'
import { STATE_CODES } from '../../../payload-records/codes.ts'
import { type Bind, binder } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { lanesSql, type ReachLane } from '../../lanes-sql.ts'
import type { ListFilter } from './filter.ts'
import { matchingIdsSql, restSql, ROW_TABLES } from './rows.ts'
import { inScopeSql, type ThreadRow, toThread } from './threads.ts'

/** A place in the list: the time of the last visible message, then the device and the thread. */
export type ConversationKey = readonly [last_message_at: number, device_id: number, thread_id: string]

/** The conversations to list: those with a message that matches `list`. */
export interface ConversationFilter {
  list: ListFilter
  /** Only those with a message without a mark. */
  is_unreviewed: boolean
}

/** Conversations checked per step for one without a mark, and steps of a page; afterwards the page stays short. */
const [CHECKED, STEPS] = [400, 10]

/** A page of conversations, latest first, and the place where the next page starts. */
export async function readConversations(
  q: Queryable,
  filter: ConversationFilter,
  { after, limit }: { after: ConversationKey | undefined; limit: number },
): Promise<{ data: Conversation[]; next: ConversationKey | undefined }> {
  const data: Conversation[] = []
  let from = after
  for (let step = 0; step < STEPS; step++) {
    const wanted = limit - data.length
    const walked = filter.is_unreviewed ? CHECKED : wanted + 1
    const keys = await walk(q, filter, from, walked)
    const found = filter.is_unreviewed ? await keepUnreviewed(q, filter.list, keys, wanted + 1) : keys
    data.push(...(await describe(q, filter.list, found.slice(0, wanted))))
    if (found.length > wanted) return { data, next: found[wanted - 1] }
    if (keys.length < walked) return { data, next: undefined }
    from = keys.at(-1)
    if (data.length === limit) break
  }
  return { data, next: from }
}

/** The number of conversations up to `counted`; capped, when more would have to be checked. */
export async function countConversations(
  q: Queryable,
  filter: ConversationFilter,
  counted: number,
): Promise<Total> {
  const most = filter.is_unreviewed ? Math.min(CHECKED * STEPS, 2 * counted) : counted
  const keys = await walk(q, filter, undefined, most + 1)
  const { length } = filter.is_unreviewed
    ? await keepUnreviewed(q, filter.list, keys.slice(0, most), most)
    : keys
  return keys.length > most ? { total: Math.min(length, most), is_capped: true } : { total: length }
}

/** The rows of `thread_counts` for messages of these device users only. */
const getCounts = (users: readonly number[], bind: Bind): string =>
  `select p.client_id, p.device_id, d.thread_id, p.group_id, p.type, count(*)::int as count, max(p.payload_time) as last_time,
     (array_agg(p.payload_id order by p.payload_time desc, p.payload_id desc))[1] as last_payload_id
   from payloads p join payload_documents d using (payload_id)
   where p.client_id = $1 and p.device_user_id = any(${bind(users, 'int[]')}) and d.thread_id is not null
     and not p.is_copy and p.state not in (${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed})
   group by p.client_id, p.device_id, d.thread_id, p.group_id, p.type`

interface KeyRow {
  t: number
  device_id: number
  thread_id: string
}
const toKey = ({ t, device_id, thread_id }: KeyRow): ConversationKey => [t, device_id, thread_id]

/** The next conversations in list order: each at its last visible message. */
async function walk(
  q: Queryable,
  { list }: ConversationFilter,
  after: ConversationKey | undefined,
  limit: number,
): Promise<ConversationKey[]> {
  const { bind, values } = binder([q.client_id])
  const visible = (table: string) => inScopeSql(list.scope, bind, table)
  const { search, number, device_user_id, payload_ids } = list
  const isNarrow = [search?.runs, number, device_user_id, payload_ids].some((each) => each !== undefined)
  // Few payloads match such a filter; their conversations are the only ones that count.
  const ctes = list.limited ? [`tc as materialized (${getCounts(list.limited, bind)})`] : []
  if (isNarrow)
    ctes.push(`m as materialized (select distinct p.device_id, d.thread_id from (${matchingIdsSql(list, values)}) x
       join payloads p using (payload_id) join payload_documents d using (payload_id) where d.thread_id is not null)`)
  const counts = list.limited ? 'tc' : 'thread_counts'
  const conditions = [
    `c.client_id = $1 and c.last_time >= ${bind(list.from, 'bigint')} and c.last_time < ${bind(list.to, 'bigint')}`,
    visible('c'),
    ...(list.device_id === undefined ? [] : [`c.device_id = ${bind(list.device_id, 'int')}`]),
    // Most conversations match so frequent a search: the last message decides.
    ...(search && !isNarrow
      ? [
          `exists (select from payloads p ${ROW_TABLES} where p.payload_id = c.last_payload_id and ${restSql(list, values)})`,
        ]
      : []),
    ...(after
      ? [
          `(c.last_time, c.device_id, c.thread_id) < (${bind(after[0], 'bigint')}, ${bind(after[1], 'int')}, ${bind(after[2], 'text')})`,
        ]
      : []),
    `not exists (select from ${counts} n where n.client_id = $1 and n.device_id = c.device_id and n.thread_id = c.thread_id
       and (n.last_time, n.last_payload_id) > (c.last_time, c.last_payload_id) and ${visible('n')})`,
  ]
  const text = `${ctes.length > 0 ? `with ${ctes.join(', ')}` : ''} select c.last_time as t, c.device_id, c.thread_id from ${counts} c
    ${isNarrow ? 'join m on m.device_id = c.device_id and m.thread_id = c.thread_id' : ''} where ${conditions.join(' and ')}
    order by c.last_time desc, c.device_id desc, c.thread_id desc limit ${bind(limit, 'int')}`
  const { rows } = await q.query<KeyRow>(text, values)
  return rows.map(toKey)
}

/** These conversations as a table `k` in their order. */
const keysSql = (keys: readonly ConversationKey[], bind: Bind): string =>
  `unnest(${bind(
    keys.map(([at]) => at),
    'bigint[]',
  )}, ${bind(
    keys.map(([, device_id]) => device_id),
    'int[]',
  )}, ${bind(
    keys.map(([, , thread_id]) => thread_id),
    'text[]',
  )}) with ordinality k (t, device_id, thread_id, place)`

/** Condition: `x` is a visible message of conversation `k`. */
const messageSql = ({ scope }: ListFilter, bind: Bind): string =>
  `x.client_id = $1 and x.device_id = k.device_id and x.thread_id = k.thread_id and ${inScopeSql(scope, bind, 'x')}`

const NONE_IN = (table: 'payload_marked' | 'payload_opened') =>
  `not exists (select from ${table} r where r.client_id = $1 and r.payload_id = x.payload_id and r.person = '')`

async function keepUnreviewed(
  q: Queryable,
  list: ListFilter,
  keys: readonly ConversationKey[],
  limit: number,
): Promise<ConversationKey[]> {
  const { bind, values } = binder([q.client_id])
  // The newest messages decide, as they do for the count of a row.
  const text = `select k.t, k.device_id, k.thread_id from ${keysSql(keys, bind)}
    where exists (select from (select x.payload_id, x.type, x.group_id from payload_threads x where ${messageSql(list, bind)}
      order by x.payload_time desc limit ${CONVERSATION_COUNTED}) x where ${lanesSql(list.marks_lanes, bind, 'x')} and ${NONE_IN('payload_marked')})
    order by k.place limit ${bind(limit, 'int')}`
  const { rows } = await q.query<KeyRow>(text, values)
  return rows.map(toKey)
}

interface ConversationRow
  extends ThreadRow, Pick<Conversation, 'device_reference' | 'device_user_reference' | 'group'> {
  unreviewed_count: number
  unopened_count: number
  person_name: string | null
}

/** The rows of these conversations: only what the caller may see counts. */
async function describe(
  q: Queryable,
  list: ListFilter,
  keys: readonly ConversationKey[],
): Promise<Conversation[]> {
  if (keys.length === 0) return []
  const { bind, values } = binder([q.client_id])
  const { marks_lanes, heard_lanes } = list
  const text = `select k.thread_id, c.message_count, c.types, k.t as last_message_at, p.payload_reference as last_payload_reference, o.list_doc,
      v.device_reference, u.device_user_reference, ${PERSON_NAME('u')} as person_name, g.group_reference as "group", r.unreviewed_count, r.unopened_count
    from ${keysSql(keys, bind)} cross join lateral (
      select sum(count)::int as message_count, array_agg(distinct type) as types,
        (array_agg(last_payload_id order by last_time desc, last_payload_id desc))[1] as last_payload_id
      from ${list.limited ? `(${getCounts(list.limited, bind)})` : 'thread_counts'} n where n.client_id = $1 and n.device_id = k.device_id and n.thread_id = k.thread_id
        and ${inScopeSql(list.scope, bind, 'n')}) c
    cross join lateral (
      select (count(*) filter (where ${lanesSql(marks_lanes, bind, 'x')} and ${NONE_IN('payload_marked')}))::int as unreviewed_count,
        (count(*) filter (where ${lanesSql(heard_lanes, bind, 'x')} and ${NONE_IN('payload_opened')}))::int as unopened_count
      from (select x.payload_id, x.type, x.group_id from payload_threads x where ${messageSql(list, bind)}
        order by x.payload_time desc limit ${CONVERSATION_COUNTED}) x) r
    join payloads p on p.payload_id = c.last_payload_id join devices v on v.device_id = p.device_id
    join groups g on g.group_id = p.group_id left join device_users u on u.device_user_id = p.device_user_id
    left join payload_documents o on o.payload_id = p.payload_id
    order by k.place`
  const { rows } = await q.query<ConversationRow>(text, values)
  return rows.map(({ unreviewed_count, unopened_count, person_name, ...row }) => ({
    ...toThread(row),
    ...(person_name !== null && { person_name }),
    ...(marks_lanes.length > 0 && { unreviewed_count }),
    ...(heard_lanes.length > 0 && { unopened_count }),
  }))
}

/** The device users of all messages of these messages' conversations, with their number of messages; null: of no one. */
export function findUsersOfConversations(
  q: Queryable,
  payload_references: readonly string[],
  lanes: readonly ReachLane[],
): Promise<{ device_user_reference: string | null; payloads: number }[]> {
  const { bind, values } = binder([q.client_id, payload_references])
  const text = `with a as materialized (select distinct p.device_id, d.thread_id, p.service from payloads p join payload_documents d using (payload_id)
      where p.client_id = $1 and p.payload_reference = any($2::text[]) and d.thread_id is not null)
    select u.device_user_reference, count(*)::int as payloads from a
    join payload_threads t on t.client_id = $1 and t.device_id = a.device_id and t.thread_id = a.thread_id and t.service = a.service
    join payloads p using (payload_id) left join device_users u on u.device_user_id = p.device_user_id
    where ${lanesSql(lanes, bind, 't')} group by 1 order by 1`
  return q.rows<{ device_user_reference: string | null; payloads: number }>(text, values)
}
