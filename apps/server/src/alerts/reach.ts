import { ALERT_SCOPES, type AlertScope } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import type { Bind } from '../ports/database/binder.ts'

/** The alerts that a caller may see or clear, as a condition on a row `a`. */
export interface AlertReach {
  condition: (bind: Bind) => string
  /** The user whose dismissals count. */
  portal_user: string
  /** Epoch seconds: what has expired is not shown. */
  now: number
}

/**
 * A client's alerts: the action limits groups, the alert permissions limit scopes (spec section 6). An alert without
 * a group concerns the account, so only permissions without a group condition show it.
 * @param right `write` means clearing
 */
export function reachOfClient(
  caller: { client_id: number; access: Access; portal_user: string; now: number },
  action: string,
  right: 'read' | 'write',
): AlertReach {
  const { access, client_id, portal_user, now } = caller
  const scopes = ALERT_SCOPES.filter((scope) => isPermitted(access, scope, right))
  const groups = access.groups(action)
  const isGroupless = access.permits(action, { group_id: null })
  return {
    portal_user,
    now,
    condition: (bind) => {
      const always = `a.client_id = ${bind(client_id, 'int')} and a.alert_target = 'client' and a.alert_scope = any(${bind(scopes, 'text[]')})`
      if (groups === 'all') return always
      const inGroups = `a.group_id = any(${bind(groups, 'int[]')})`
      return `${always} and ${isGroupless ? `(a.group_id is null or ${inGroups})` : inGroups}`
    },
  }
}

const isPermitted = (access: Access, scope: AlertScope, right: 'read' | 'write'): boolean =>
  access.alert_permissions[`${scope}_${right}`]

/** Clients' alerts that the provider's staff see: alerts for them, and their own notifications. */
export const reachOfProvider = (
  caller: { portal_user: string; now: number },
  client_id?: number,
): AlertReach => ({
  ...caller,
  condition: (bind) => {
    const kind = `(a.alert_target = 'admin' or a.alert_type = 'Notification')`
    return client_id === undefined ? kind : `a.client_id = ${bind(client_id, 'int')} and ${kind}`
  },
})
