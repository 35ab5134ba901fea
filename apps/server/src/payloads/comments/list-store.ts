import { type CommentDuration, type PayloadType, type Total, TOTAL_CAP } from '@custodia/contract'
import { PERSON_NAME } from '../../device-records/names-store.ts'
import { getCodes, STATE_CODES, typeOfCode } from '../../payload-records/codes.ts'
import { binder } from '../../ports/database/binder.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { groupsOfLanes, lanesSql, type ReachLane } from '../lanes-sql.ts'
import type { ListFilter } from '../lists/store/filter.ts'
import { restSql, ROW_TABLES } from '../lists/store/rows.ts'
import { getDuration } from './store.ts'

/** Place of a comment in a list. */
export type CommentKey = readonly [raised_at: number, comment_id: string]

/** The filter of a comment list, with the caller's scopes, so that no list runs without them. */
export interface CommentFilter {
  lanes: readonly ReachLane[]
  show: 'open' | 'closed' | 'all'
  payload_id?: number
  comment_id?: string
  authors?: readonly string[] | undefined
  groups?: readonly string[] | undefined
  payload_types?: readonly PayloadType[] | undefined
  /** Word tokens; the comment must have one of each list. */
  words?: readonly (readonly string[])[]
  /** The recordings that comments may be about, with the lanes in which the caller may list them. */
  recordings?: { filter: ListFilter; lanes: readonly ReachLane[] } | undefined
  /** Epoch seconds, of raised_at. */
  from?: number
  to?: number
}

/** A comment row; its version is still sealed. */
export interface SealedComment {
  comment_id: string
  payload_reference: string
  payload_type: PayloadType
  group: string
  payload_time: number
  device_user_reference: string | null
  person_name?: string
  raised_at: number
  raised_by: string
  comment_version: number
  comment_duration: CommentDuration | null
  updated_at: number
  updated_by: string
  closed_at: number | null
  closed_by: string | null
  in_reply_to: string | null
  sealed_reason: Buffer | null
  wrapped_key: Buffer | null
  sealed_body: Buffer
}

/** Comments behind a place (absent: from the newest), newest first. */
export async function findComments(
  q: Queryable,
  filter: CommentFilter,
  from: CommentKey | undefined,
  limit: number,
): Promise<SealedComment[]> {
  const { bind, values } = binder()
  const behind = from
    ? `and (c.raised_at, c.comment_id) < (${bind(from[0], 'bigint')}, ${bind(from[1], 'text')})`
    : ''
  // Finds the page first, so that no other comment bodies are read.
  const conditions = getConditions(q.client_id, filter, values)
  const { rows } = await q.query<Row>(
    `with page as materialized (
       select c.* from payload_comments c where ${conditions} ${behind}
       order by c.raised_at desc, c.comment_id desc limit ${limit})
     select c.comment_id, p.payload_reference, c.type, g.group_reference as "group", coalesce(p.claimed_time, p.payload_time) as payload_time,
       u.device_user_reference, ${PERSON_NAME('u')} as person_name, c.raised_at, c.raised_by, c.comment_version, v.start_time, v.duration, v.updated_at, v.updated_by,
       c.closed_at, c.closed_by, c.in_reply_to, c.sealed_reason, c.wrapped_key, v.sealed_body
     from page c join payloads p on p.client_id = c.client_id and p.payload_id = c.payload_id join groups g on g.group_id = c.group_id
     left join device_users u on u.device_user_id = p.device_user_id
     join payload_comment_versions v on v.client_id = c.client_id and v.comment_id = c.comment_id and v.comment_version = c.comment_version
     order by c.raised_at desc, c.comment_id desc`,
    values,
    'unprepared',
  )
  return rows.map(({ type, start_time, duration, person_name, ...row }) => ({
    ...row,
    ...(person_name !== null && { person_name }),
    payload_type: typeOfCode(type),
    comment_duration: getDuration(start_time, duration),
  }))
}

type Row = Omit<SealedComment, 'payload_type' | 'comment_duration' | 'person_name'> &
  Parts & { type: number; person_name: string | null }
interface Parts {
  start_time: number | null
  duration: number | null
}

/** How many comments pass the filter, counted up to a limit. */
export async function countComments(q: Queryable, filter: CommentFilter): Promise<Total> {
  const values: unknown[] = []
  const found = await q.count(
    `select count(*)::int as found from (
       select from payload_comments c where ${getConditions(q.client_id, filter, values)} limit ${TOTAL_CAP + 1}) f`,
    values,
    'unprepared',
  )
  return found > TOTAL_CAP ? { total: TOTAL_CAP, is_capped: true } : { total: found }
}

function getConditions(client_id: number, filter: CommentFilter, values: unknown[]): string {
  const { bind } = binder(values)
  const parts = [`c.client_id = ${bind(client_id, 'int')}`, lanesSql(filter.lanes, bind, 'c')]
  const { show, payload_id, comment_id, authors, groups, payload_types, words, recordings, from, to } = filter
  if (show !== 'all') parts.push(`c.closed_at is ${show === 'open' ? 'null' : 'not null'}`)
  if (payload_id !== undefined) parts.push(`c.payload_id = ${bind(payload_id, 'bigint')}`)
  // Not `exists`: most comments are on existing payloads, and each lookup uses the key.
  else
    parts.push(
      `(select state from payloads p where p.client_id = c.client_id and p.payload_id = c.payload_id) <> ${STATE_CODES.Destroyed}`,
    )
  if (comment_id !== undefined) parts.push(`c.comment_id = ${bind(comment_id, 'text')}`)
  if (authors) parts.push(`c.raised_by = any(${bind(authors, 'text[]')})`)
  if (groups)
    parts.push(
      `c.group_id in (select group_id from groups where client_id = c.client_id and group_reference = any(${bind(groups, 'text[]')}))`,
    )
  if (payload_types) parts.push(`c.type = any(${bind(getCodes(payload_types), 'smallint[]')})`)
  // Entries of groups that the caller does not see are not read.
  const seen = words && words.length > 0 ? groupsOfLanes(filter.lanes) : null
  const ofGroups = seen ? `and w.group_id = any(${bind(seen, 'int[]')})` : ''
  for (const tokens of words ?? [])
    parts.push(
      `c.comment_id in (select comment_id from comment_words w where w.client_id = c.client_id and w.token = any(${bind(tokens, 'bigint[]')}) ${ofGroups})`,
    )
  const ids = recordings?.filter.payload_ids
  if (ids) parts.push(`c.payload_id = any(${bind(ids, 'bigint[]')})`)
  if (recordings)
    // Not `exists`: each comment with the words looks up its own recording.
    parts.push(
      `(select ${restSql(recordings.filter, values)} and ${lanesSql(recordings.lanes, bind, 'p')} from payloads p ${ROW_TABLES}
        where p.client_id = c.client_id and p.payload_id = c.payload_id)`,
    )
  if (from !== undefined) parts.push(`c.raised_at >= ${bind(from, 'bigint')}`)
  if (to !== undefined) parts.push(`c.raised_at < ${bind(to, 'bigint')}`)
  return parts.join(' and ')
}

/** A version row, still sealed. */
export interface SealedVersion extends Parts {
  comment_version: number
  sealed_body: Buffer
  updated_at: number
  updated_by: string
}

/** Versions of a comment below one (absent: from the last), newest first. */
export function findVersions(
  q: Queryable,
  comment_id: string,
  below: number | undefined,
  limit: number,
): Promise<SealedVersion[]> {
  return q.rows<SealedVersion>(
    `select comment_version, sealed_body, start_time, duration, updated_at, updated_by from payload_comment_versions
     where client_id = $1 and comment_id = $2 and ($3::int is null or comment_version < $3)
     order by comment_version desc limit $4`,
    [q.client_id, comment_id, below ?? null, limit],
  )
}

/** How many versions a comment has. */
export function countVersions(q: Queryable, comment_id: string): Promise<number> {
  return q.count(
    'select count(*)::int as found from payload_comment_versions where client_id = $1 and comment_id = $2',
    [q.client_id, comment_id],
  )
}
