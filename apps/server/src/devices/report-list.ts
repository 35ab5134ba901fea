import { AHEAD_SECONDS, type Page, type Total } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import type { PortalContext } from '../http/context.ts'
import { placesOf } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { timeRange } from '../http/time-range.ts'
import type { Bind } from '../ports/database/binder.ts'
import type { Queryable } from '../ports/database/lease.ts'
import {
  countNewest,
  readNewest,
  type TimeKey,
  type TimeOrdered,
  type WantedRows,
} from '../ports/database/newest-first.ts'
import { findGroupIds } from '../device-records/store.ts'

export type Condition = (bind: Bind) => string

/** The device or user that a list is about. */
export type Subject = { group_id: number } & ({ device_id: number } | { device_user_id: number })

/** A list of commands or device reports. */
export interface ReportList {
  cursors: AppContext['cursors']
  now: AppContext['now']
  name: string
  /** Action that the caller needs in a row's group. */
  action: string
  query: {
    limit: number
    last_key?: string | undefined
    type: 'page' | 'total'
    from?: string | undefined
    to?: string | undefined
    groups?: readonly string[] | undefined
  }
  of: TimeOrdered
  /** Times that the list itself computes from the dates: epoch seconds, from inclusive, to exclusive. */
  range?: { from: number; to: number }
  /** Conditions of the filters. */
  conditions: readonly Condition[]
  /** A filter with its own index, used instead of the device, user or group index. */
  walked?: WantedRows['walked']
  /** What the list is about; it may exist without rows. */
  subject?: (q: Queryable) => Promise<Subject | undefined>
  /** The device or user that filters a list of all. */
  narrowed?: ((q: Queryable) => Promise<Subject | undefined>) | undefined
}

/**
 * Lists rows of the caller's groups, newest first, or counts them. A row stays in the group of its time. Problems:
 * invalid_cursor; not_found without a visible subject or row.
 */
export function listReports<Row>(context: PortalContext, list: ReportList): Promise<Page<Row> | Total> {
  const { cursors, name, action, query, of, subject, narrowed } = list
  const { access, client_id } = context.caller
  const { from, until } = placesOf<TimeKey>(cursors, { name, client_id, query })
  return context.readFromReplica(async (q) => {
    const about = await (subject ?? narrowed)?.(q)
    const wanted = (subject ?? narrowed) && !about ? undefined : await wantedRows(q, access, list, about)
    const assertKnown = () => {
      if (subject && !(about && access.permits(action, about)))
        throw new Problem('not_found', { detail: 'not visible to the caller' })
    }
    if (query.type === 'total') {
      const total = wanted ? await countNewest(q, of, wanted) : { total: 0 }
      if (total.total === 0) assertKnown()
      return total
    }
    const { rows, next } = wanted
      ? await readNewest<Row>(q, of, wanted, query.limit, from)
      : { rows: [], next: undefined }
    if (rows.length === 0 && !from && !next) assertKnown()
    return { count: rows.length, ...until(next), data: rows }
  })
}

/** Resolves the query; undefined when the result is empty by definition. */
async function wantedRows(
  q: Queryable,
  access: Access,
  list: ReportList,
  about: Subject | undefined,
): Promise<WantedRows | undefined> {
  const { action, query, conditions } = list
  const { from, to } = list.range ?? rangeOf(list, about)
  const groups = await groupsOf(q, access.groups(action), query.groups)
  if (from >= to || groups?.length === 0) return undefined
  const ofSubject = about && equalsSubject(about)
  const inGroups = groups && { column: 'group_id', cast: 'int', values: groups }
  const walked = list.walked ?? ofSubject ?? inGroups
  const narrowing = [ofSubject, inGroups].filter((each) => each !== undefined && each !== walked)
  return {
    from,
    to,
    walked,
    conditions: [
      ...narrowing.map(
        (each): Condition =>
          (bind) =>
            `r.${each?.column} = any(${bind(each?.values, `${each?.cast}[]`)})`,
      ),
      ...conditions,
    ],
  }
}

/**
 * Times of a list. Rows dated over a day ahead are excluded from the list of all unless the query asks for them; they
 * would lead it forever.
 */
function rangeOf({ query, now }: ReportList, about: Subject | undefined): { from: number; to: number } {
  const { from, to } = timeRange(query)
  const believed = now() + AHEAD_SECONDS + 1
  return { from, to: about || query.to !== undefined || from >= believed ? to : believed }
}

const equalsSubject = (about: Subject) =>
  'device_id' in about
    ? { column: 'device_id', cast: 'int', values: [about.device_id] }
    : { column: 'device_user_id', cast: 'int', values: [about.device_user_id] }

/** SQL condition: a column has one of these values; none without values. */
export const whereIn = (column: string, values: readonly string[] | undefined): Condition[] =>
  values ? [(bind) => `r.${column} = any(${bind(values, 'text[]')})`] : []

/** Ids of the groups in the list; undefined: all. */
export async function groupsOf(
  q: Queryable,
  reach: readonly number[] | 'all',
  asked: readonly string[] | undefined,
): Promise<readonly number[] | undefined> {
  if (!asked) return reach === 'all' ? undefined : reach
  const ids = await findGroupIds(q, asked)
  return reach === 'all' ? ids : ids.filter((id) => reach.includes(id))
}
