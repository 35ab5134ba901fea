import type { Endpoint } from '@custodia/contract'
import * as z from 'zod/mini'
import { loggedParameters, newLogId } from './audit.ts'
import type { AuditEntry, Context, LoggedCaller } from './context.ts'

/** The entry of a call that has just begun. */
export function openEntry(endpoint: Endpoint, context: Context, caller: LoggedCaller): AuditEntry {
  const { request, now } = context
  return {
    log_id: newLogId(),
    caller,
    ip: context.ip,
    browser: request.headers['user-agent']?.slice(0, 255),
    activity_time: now,
    activity_end_time: now,
    duration: 0,
    action: getAction(endpoint, request.query as Record<string, unknown>) ?? getName(endpoint),
    is_allowed: true,
    denial_reason: null,
    parameters: '{}',
    status_code: 0,
    request_id: context.request_id,
  }
}

/**
 * The entry of a call that was refused before its input was read: its parameters as they came, without the
 * body.
 */
export function refusedEntry(
  endpoint: Endpoint,
  context: Context,
  caller: LoggedCaller,
  denied: { status_code: number; denial_reason: string },
): AuditEntry {
  return {
    ...openEntry(endpoint, context, caller),
    ...denied,
    is_allowed: false,
    parameters: rawParameters(endpoint, context),
  }
}

/** Path and query as they came, for calls whose input was not read. */
export const rawParameters = (endpoint: Endpoint, { request }: Context): string =>
  loggedParameters({ params: request.params, query: request.query }, endpoint.secrets ?? [])

/** Name of a call without an action, e.g. `POST payloads`. */
const getName = (endpoint: Endpoint): string => `${endpoint.method} ${endpoint.path}`

/**
 * The action of a call. Where a parameter selects it, the parameter is read by its schema, default included.
 * An invalid one logs the first action until the input check refuses the call.
 */
function getAction({ action: rule, query: schema }: Endpoint, query: Readonly<Record<string, unknown>>) {
  if (rule === undefined || typeof rule === 'string') return rule
  const selecting = schema?.def.shape[rule.query]
  const data = selecting && z.safeParse(selecting, query[rule.query]).data
  // Own names of the rule only: every object has a `constructor`.
  if (typeof data === 'string' && Object.hasOwn(rule.of, data)) return rule.of[data]
  return Object.values(rule.of)[0]
}

/** An entry in the account's log about an act of the server itself; `facts` without content. */
export function systemEntry(
  { client_id }: { client_id: number },
  { at, by }: { at: number; by: string },
  action: string,
  facts: object,
): AuditEntry {
  const log_id = newLogId()
  return {
    log_id,
    caller: { kind: 'portal', client_id, user_reference: by, user_group: null, group_id: null, roles: [] },
    // No call has an address.
    ip: '',
    browser: undefined,
    activity_time: at,
    activity_end_time: at,
    duration: 0,
    action,
    is_allowed: true,
    denial_reason: null,
    parameters: loggedParameters({ body: facts }, []),
    status_code: 200,
    request_id: log_id,
  }
}
