import { BACKGROUND_NAMES, type DeviceActivityQuery, type PortalActivityQuery } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { timeRange } from '../http/time-range.ts'
import { type Bind, isAmong } from '../ports/database/binder.ts'
import { standsForItself, wasHandedOut } from './fold-store.ts'

/** One of the two audit logs: its table, and the wire names of its columns. */
export interface ActivityLog {
  readonly table: 'portal_activities' | 'device_activities'
  /** Column with what the caller's group was called then; the group itself is `group_id`. */
  readonly group: string
  readonly ip: string
  /** What a row of the list holds, of table `r`. */
  readonly columns: (isFolded: boolean) => string
}

const common = `r.log_id, r.activity_time, r.activity_end_time, r.duration, r.action, r.is_allowed, r.denial_reason, r.parameters,
  r.status_code, r.request_id`

/** Portal users, client apps, and support staff in support mode. */
export const PORTAL_LOG: ActivityLog = {
  table: 'portal_activities',
  group: 'user_group',
  ip: 'user_ip',
  columns: (isFolded) =>
    `${common}, r.user_reference as user_id, r.user_ip, r.browser, r.user_group as "group", r.roles, r.is_client_app,
    r.support_reference, r.payload_reference, ${wasHandedOut(isFolded)} as was_handed_out`,
}

export const DEVICE_LOG: ActivityLog = {
  table: 'device_activities',
  group: 'group_reference',
  ip: 'device_ip',
  columns: () =>
    `${common}, r.device_ip, r.device_reference, r.device_user_reference, r.group_reference as "group"`,
}

/** What a list of activities is narrowed to. */
export interface ActivityFilter {
  client_id: number
  /** Epoch seconds, inclusive. */
  from: number
  /** Epoch seconds, exclusive. */
  to: number
  /** A column with an index of its own: the log is walked once per value. */
  walked?: { column: string; values: readonly string[] }
  /** A recording whose audit trail includes entries without its reference: conversations in which it was read. */
  payload_id?: number | undefined
  /** Conditions on a row `r`, all of which must hold; the dearest last. */
  conditions: readonly ((bind: Bind) => string)[]
  /** What one play left is one row. */
  isFolded: boolean
  /** The entries that it asks for may all be out of the caller's reach. */
  isHidden: boolean
}

type Query = Omit<PortalActivityQuery & DeviceActivityQuery, 'client' | 'limit' | 'last_key' | 'type'>

/**
 * Resolves a query within what the caller may see; undefined when nothing can match.
 * @param payload_id the requested recording, if the caller may read it
 */
export function resolveFilter(
  log: ActivityLog,
  caller: { client_id: number; access: Access },
  action: string,
  query: Query,
  payload_id?: number,
): ActivityFilter | undefined {
  const { from, to } = timeRange(query)
  const scope = getScope(caller.access, action)
  if (scope === 'nothing' || from >= to) return undefined
  const walked = walkedBy(query)
  // The searched parameters or the refusal may be in a continuation and not in the first entry, so these filters
  // disable folding.
  const isFolded = query.is_folded === true && query.search === undefined && query.is_allowed !== false
  return {
    client_id: caller.client_id,
    from,
    to,
    ...(walked ? { walked } : {}),
    payload_id,
    conditions: [
      ...scope,
      ...getConditions(log, query),
      ...(isFolded ? [(bind: Bind) => standsForItself(from, bind)] : []),
    ],
    isFolded,
    isHidden: walked !== undefined && scope.length > 0,
  }
}

/**
 * Entries of groups in reach, and groupless ones where the action needs no group. It compares group ids, because
 * another group may have taken a former name.
 */
function getScope(access: Access, action: string): ActivityFilter['conditions'] | 'nothing' {
  const groups = access.groups(action)
  if (groups === 'all') return []
  // Not `allowsGroupless`: a caller confined to groups sees no entries of people without a group.
  const isGroupless = access.permits(action, { group_id: null })
  if (groups.length === 0) return isGroupless ? [() => 'r.group_id is null'] : 'nothing'
  return [
    (bind) => {
      const inReach = isAmong('r.group_id', bind(groups, 'int[]'))
      return isGroupless ? `(r.group_id is null or ${inReach})` : inReach
    },
  ]
}

function walkedBy(query: Query): ActivityFilter['walked'] {
  if (query.payload_reference !== undefined)
    return { column: 'payload_reference', values: [query.payload_reference] }
  if (query.support_reference !== undefined)
    return { column: 'support_reference', values: [query.support_reference] }
  if (query.users) return { column: 'user_reference', values: query.users }
  if (query.device_reference !== undefined)
    return { column: 'device_reference', values: [query.device_reference] }
  return undefined
}

function getConditions(log: ActivityLog, query: Query): ActivityFilter['conditions'] {
  const conditions: ((bind: Bind) => string)[] = []
  const add = <T>(value: T | undefined, condition: (value: T, bind: Bind) => string) => {
    if (value !== undefined) conditions.push((bind) => condition(value, bind))
  }
  add(query.actions, actionsMatch)
  add(query.is_allowed, (value, bind) => `r.is_allowed = ${bind(value, 'boolean')}`)
  add(query.ip, (value, bind) => `r.${log.ip} = ${bind(value, 'text')}`)
  add(query.groups, (value, bind) => `r.${log.group} = any(${bind(value, 'text[]')})`)
  add(query.search, parametersHold)
  if (query.is_background === false)
    conditions.push((bind) => `not (r.is_allowed and r.action = any(${bind(BACKGROUND_NAMES, 'text[]')}))`)
  // Where the log is walked by another column.
  if (query.payload_reference !== undefined)
    add(query.support_reference, (value, bind) => `r.support_reference = ${bind(value, 'text')}`)
  if (query.payload_reference !== undefined || query.support_reference !== undefined)
    add(query.users, (value, bind) => `r.user_reference = any(${bind(value, 'text[]')})`)
  add(query.is_client_app, (value, bind) => `r.is_client_app = ${bind(value, 'boolean')}`)
  add(query.is_support, (value) => `r.support_reference is ${value ? 'not null' : 'null'}`)
  add(query.device_user_reference, (value, bind) => `r.device_user_reference = ${bind(value, 'text')}`)
  return conditions
}

/** Names as they are, and beginnings that end in `*`. */
function actionsMatch(actions: readonly string[], bind: Bind): string {
  const beginnings = actions.filter((action) => action.endsWith('*'))
  const names = actions.filter((action) => !action.endsWith('*'))
  const patterns = beginnings.map((action) => `${action.slice(0, -1).replace(/[\\%_]/g, String.raw`\$&`)}%`)
  return `(r.action = any(${bind(names, 'text[]')}) or r.action like any(${bind(patterns, 'text[]')}))`
}

/** Matches JSON parameters: the search text may occur in them plainly, or with escaped quotation marks. */
function parametersHold(search: string, bind: Bind): string {
  const escaped = JSON.stringify(search).slice(1, -1)
  // By bytes, which is several times as fast; letters beyond ASCII count as they are written.
  const holds = (part: string) =>
    `position(lower(${bind(part, 'text')} collate "C") in lower(r.parameters collate "C")) > 0`
  return escaped === search ? holds(search) : `(${holds(search)} or ${holds(escaped)})`
}
