import type { DeviceActivityQuery, PortalActivityQuery } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { timeRange } from '../http/time-range.ts'
import type { Bind } from '../ports/database/binder.ts'
import type { ActivityLog } from './logs.ts'

/** What a list of activities is narrowed to. */
export interface ActivityFilter {
  client_id: number
  /** Epoch seconds, inclusive. */
  from: number
  /** Epoch seconds, exclusive. */
  to: number
  /** A column with an index of its own: the log is walked once per value. */
  walked?: { column: string; values: readonly string[] }
  /** Conditions on a row `a`, all of which must hold. */
  conditions: readonly ((bind: Bind) => string)[]
}

type Query = Omit<PortalActivityQuery & DeviceActivityQuery, 'client' | 'limit' | 'last_key' | 'type'>

/** Resolves a query within what the caller may see; undefined when nothing can match. */
export function resolveFilter(
  log: ActivityLog,
  caller: { client_id: number; access: Access },
  action: string,
  query: Query,
): ActivityFilter | undefined {
  const { from, to } = timeRange(query)
  const scope = scopeOf(caller.access, action)
  if (scope === 'nothing' || from >= to) return undefined
  const walked = walkedBy(query)
  return {
    client_id: caller.client_id,
    from,
    to,
    ...(walked ? { walked } : {}),
    conditions: [...scope, ...conditionsOf(log, query)],
  }
}

/**
 * Entries of groups in reach, and those without a group where the action needs none. By id: what a group was called may be the name of
 * another one now, whose holders have no part in the entries of the former.
 */
function scopeOf(access: Access, action: string): ActivityFilter['conditions'] | 'nothing' {
  const groups = access.groups(action)
  if (groups === 'all') return []
  // Not `allowsGroupless`: whoever is confined to groups sees nothing of people without one.
  const isGroupless = access.permits(action, { group_id: null })
  if (groups.length === 0) return isGroupless ? [() => 'a.group_id is null'] : 'nothing'
  return [
    (bind) => {
      const inReach = `a.group_id = any(${bind(groups, 'int[]')})`
      return isGroupless ? `(a.group_id is null or ${inReach})` : inReach
    },
  ]
}

function walkedBy(query: Query): ActivityFilter['walked'] {
  if (query.support_reference !== undefined)
    return { column: 'support_reference', values: [query.support_reference] }
  if (query.users) return { column: 'user_reference', values: query.users }
  if (query.device_reference !== undefined)
    return { column: 'device_reference', values: [query.device_reference] }
  return undefined
}

function conditionsOf(log: ActivityLog, query: Query): ActivityFilter['conditions'] {
  const conditions: ((bind: Bind) => string)[] = []
  const add = <T>(value: T | undefined, condition: (value: T, bind: Bind) => string) => {
    if (value !== undefined) conditions.push((bind) => condition(value, bind))
  }
  add(query.actions, actionsMatch)
  add(query.is_allowed, (value, bind) => `a.is_allowed = ${bind(value, 'boolean')}`)
  add(query.ip, (value, bind) => `a.${log.ip} = ${bind(value, 'text')}`)
  add(query.groups, (value, bind) => `a.${log.group} = any(${bind(value, 'text[]')})`)
  add(query.search, parametersHold)
  if (query.support_reference !== undefined)
    add(query.users, (value, bind) => `a.user_reference = any(${bind(value, 'text[]')})`)
  add(query.is_client_app, (value, bind) => `a.is_client_app = ${bind(value, 'boolean')}`)
  add(query.is_support, (value) => `a.support_reference is ${value ? 'not null' : 'null'}`)
  add(query.device_user_reference, (value, bind) => `a.device_user_reference = ${bind(value, 'text')}`)
  return conditions
}

/** Names as they are, and beginnings that end in `*`. */
function actionsMatch(actions: readonly string[], bind: Bind): string {
  const beginnings = actions.filter((action) => action.endsWith('*'))
  const names = actions.filter((action) => !action.endsWith('*'))
  const patterns = beginnings.map((action) => `${action.slice(0, -1).replace(/[\\%_]/g, String.raw`\$&`)}%`)
  return `(a.action = any(${bind(names, 'text[]')}) or a.action like any(${bind(patterns, 'text[]')}))`
}

/** Parameters are JSON text: what is searched for may stand in it as it is, or with its quotation marks escaped. */
function parametersHold(search: string, bind: Bind): string {
  const escaped = JSON.stringify(search).slice(1, -1)
  // By bytes, which is several times as fast; letters beyond ASCII count as they are written.
  const holds = (part: string) =>
    `position(lower(${bind(part, 'text')} collate "C") in lower(a.parameters collate "C")) > 0`
  return escaped === search ? holds(search) : `(${holds(search)} or ${holds(escaped)})`
}
