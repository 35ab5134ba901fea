import { AHEAD_SECONDS, type LIST_ORDERS, type Page, type Total } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import { withOwnerNames } from '../../device-records/names-store.ts'
import { findGroupIds, findGroupOfDevice, heldBy } from '../../device-records/store.ts'
import { findUser } from '../../device-users/store.ts'
import type { PortalContext } from '../../http/context.ts'
import { getPlaces } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import { timeRange } from '../../http/time-range.ts'
import type { Bind } from '../../ports/database/binder.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import {
  countByTime,
  readByTime,
  type TimeKey,
  type TimeOrdered,
  type WantedRows,
} from '../../ports/database/time-ordered.ts'

export type Condition = (bind: Bind) => string
export type ListContext = Pick<AppContext, 'cursors' | 'now'>

/** The device or device user that a list is about, by reference. */
type Subject = { device_reference: string } | { device_user_reference: string }
/** The same in the database, with its current group. */
type FoundSubject = { group_id: number } & ({ device_id: number } | { device_user_id: number })

interface Query {
  limit: number
  last_key?: string | undefined
  type: 'page' | 'total'
  order?: (typeof LIST_ORDERS)[number] | undefined
  from?: string | undefined
  to?: string | undefined
  groups?: readonly string[] | undefined
  device_reference?: string | undefined
  device_user_reference?: string | undefined
}

/** A list of device reports, commands or capture gaps. */
export interface ReportList {
  /** Name of its cursors. */
  name: string
  query: Query
  of: TimeOrdered
  /** The subject that the path names: it may exist without rows, and must be visible. Absent: the query may narrow. */
  subject?: Subject
  /** Whether rows have the names of device and device user; default true. */
  isNamed?: boolean
  /** Times that the list itself computes from the dates: epoch seconds, from inclusive, to exclusive. */
  range?: { from: number; to: number }
  conditions?: readonly Condition[]
  /** Rows after which counting stops, when conditions are expensive. */
  counted?: number
  /** A filter with its own index, used instead of the device, user or group index. */
  walked?: WantedRows['walked']
}

/**
 * Lists rows of the caller's groups, newest or oldest first, or counts them. A row stays in the group of its time. Problems:
 * invalid_cursor; not_found without a visible subject or row.
 */
export function listReports<Row extends object>(
  { cursors, now }: ListContext,
  context: PortalContext,
  list: ReportList,
): Promise<Page<Row> | Total> {
  const { query, of, subject, isNamed = true } = list
  const { access, client_id } = context.caller
  const name = subject ? `${list.name} of ${JSON.stringify(subject)}` : list.name
  const { from, until } = getPlaces<TimeKey>(cursors, { name, client_id, query })
  const narrowed = subject ?? narrowedTo(query)
  return context.readFromReplica(async (q) => {
    const about = narrowed && (await findSubject(q, narrowed))
    const isHidden = narrowed !== undefined && !(about && access.permits(context.action, about))
    const asked = narrowed && !about ? undefined : await wantedRows(q, context, list, { about, now: now() })
    const wanted = asked && { ...asked, isHidden }
    const assertKnown = () => {
      if (subject && isHidden) throw new Problem('not_found', { detail: 'not visible to the caller' })
    }
    if (query.type === 'total') {
      const total = wanted ? await countByTime(q, of, wanted) : { total: 0 }
      if (total.total === 0) assertKnown()
      return total
    }
    const { rows, next } = wanted
      ? await readByTime<Row>(q, of, wanted, query.limit, from)
      : { rows: [], next: undefined }
    if (rows.length === 0 && !from && !next) assertKnown()
    const data = isNamed ? await withOwnerNames<Row>(q, access, rows) : rows
    return { count: rows.length, ...until(next), data }
  })
}

/** The device or user that the query names; with both, the device. */
function narrowedTo({ device_reference, device_user_reference }: Query): Subject | undefined {
  if (device_reference !== undefined) return { device_reference }
  return device_user_reference === undefined ? undefined : { device_user_reference }
}

const findSubject = (q: Queryable, subject: Subject): Promise<FoundSubject | undefined> =>
  'device_reference' in subject
    ? findGroupOfDevice(q, subject.device_reference)
    : findUser(q, subject.device_user_reference)

/** Resolves the query; undefined when the result is empty by definition. */
async function wantedRows(
  q: Queryable,
  { action, caller: { access } }: PortalContext,
  { query, conditions = [], ...list }: ReportList,
  { about, now }: { about: FoundSubject | undefined; now: number },
): Promise<WantedRows | undefined> {
  const { from, to } = list.range ?? getRange(query, about, now)
  const groups = await getGroups(q, access.groups(action), query.groups)
  if (from >= to || groups?.length === 0) return undefined
  const ofSubject = about && equalsSubject(about)
  const inGroups = groups && { column: 'group_id', cast: 'int', values: groups }
  const walked = list.walked ?? ofSubject ?? inGroups
  const narrowing = [ofSubject, inGroups].filter((each) => each !== undefined && each !== walked)
  const { device_reference, device_user_reference } = query
  return {
    from,
    to,
    isOldestFirst: query.order === 'oldest',
    walked,
    ...(list.counted !== undefined && { counted: list.counted }),
    conditions: [
      ...narrowing.map(
        (each): Condition =>
          (bind) =>
            `r.${each?.column} = any(${bind(each?.values, `${each?.cast}[]`)})`,
      ),
      ...conditions,
      // With both filters the list scans the device index and checks the holder at that time.
      ...(device_reference !== undefined && device_user_reference !== undefined
        ? [heldBy(device_user_reference)]
        : []),
    ],
  }
}

/**
 * Times of a list. Rows dated over a day ahead are excluded from the list of all unless the query asks for them; they
 * would lead it forever.
 */
function getRange(query: Query, about: FoundSubject | undefined, now: number): { from: number; to: number } {
  const { from, to } = timeRange(query)
  const believed = now + AHEAD_SECONDS + 1
  return { from, to: about || query.to !== undefined || from >= believed ? to : believed }
}

const equalsSubject = (about: FoundSubject) =>
  'device_id' in about
    ? { column: 'device_id', cast: 'int', values: [about.device_id] }
    : { column: 'device_user_id', cast: 'int', values: [about.device_user_id] }

/** SQL condition: a column has one of these values; none without values. */
export const whereIn = (column: string, values: readonly string[] | undefined): Condition[] =>
  values ? [(bind) => `r.${column} = any(${bind(values, 'text[]')})`] : []

/** Ids of the groups in the list; undefined: all. */
export async function getGroups(
  q: Queryable,
  reach: readonly number[] | 'all',
  asked: readonly string[] | undefined,
): Promise<readonly number[] | undefined> {
  if (!asked) return reach === 'all' ? undefined : reach
  const ids = await findGroupIds(q, asked)
  return reach === 'all' ? ids : ids.filter((id) => reach.includes(id))
}
