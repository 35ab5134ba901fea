/**
 * The escalation guard: what roles would grant beyond the actor's own rights, and how a change moves the reach of a
 * role. Roles compiled before and after a change may have different group indexes; groups are compared by id.
 */
import {
  ALERT_PERMISSIONS,
  type Excess,
  PAYLOAD_TYPES,
  type PayloadType,
  type RoleImpact,
} from '@custodia/contract'
import type { Access } from './evaluate.ts'
import { type GroupIndex, NOWHERE, type Reach } from './group-index.ts'
import {
  type ExcessReach,
  type Cover,
  getCover,
  type Holding,
  getHolds,
  type Limit,
  LIMITS,
  NO_TERMS,
  rolesByTerms,
  getTerms,
  getTranslator,
} from './holding.ts'
import { within } from './networks.ts'
import { type CompiledRole, covers, isConfined } from './role-sum.ts'

/**
 * What `granted` gives that `actor` does not hold. It is empty exactly when `actor` has every permission of
 * `granted`, by action, place and payload type, from the same networks and with no more alerts, and every alert
 * permission. Denies count on both sides. A row without groups (`count` 0) concerns objects without a group, or
 * future groups.
 */
export function exceeds(granted: Holding, actor: Holding, actions: readonly string[]): Excess[] {
  const groupIndex = granted.roles[0]?.groupIndex
  if (!groupIndex) return []
  const coverOn = getCover(actor, groupIndex)
  const grants = Array.from(rolesByTerms(granted), ([terms, roles]) => ({
    roles,
    cover: coverOn(terms),
    gives: getHolds(granted, roles),
  }))
  const rows = actions.flatMap((action) =>
    excessRows(action, groupIndex, (type) =>
      grants.map(({ cover, gives }) => cover.beyond(action, type, gives(action, type))),
    ),
  )
  return [...rows, ...alertRows(grants)]
}

/**
 * What a change of one role newly gives to its holders that `actor` does not hold. A removed denial counts as a
 * grant, because holders may have the right by another role. If the role loses its networks or its alert, all its
 * grants count as new.
 */
export function widening(
  before: CompiledRole | undefined,
  after: CompiledRole | undefined,
  actor: Holding,
  actions: readonly string[],
): Excess[] {
  const groupIndex = (after ?? before)?.groupIndex
  if (!groupIndex) return []
  const coverOn = getCover(actor, groupIndex)
  const cover = coverOn(after ? getTerms(after) : NO_TERMS)
  const coverLifted = coverOn(NO_TERMS)
  const beforeThere = getTranslator(before?.groupIndex, groupIndex)
  const known = before && after && isFreer(before, after) ? undefined : before
  const rows = actions.flatMap((action) => {
    const lifted = beforeThere(deniedBy(before, action)) & ~deniedBy(after, action)
    return excessRows(action, groupIndex, (type) => {
      const gained = grantedBy(after, action, type) & ~beforeThere(grantedBy(known, action, type))
      return [
        cover.beyond(action, type, { rows: gained }),
        coverLifted.beyond(action, type, { rows: lifted }),
      ]
    })
  })
  return [...rows, ...alertRows([{ roles: after ? [after] : [], cover }], known)]
}

export type ReachChange = Omit<RoleImpact, 'role_reference'> & {
  /**
   * Whether holders may gain anything: groups, actions, payload types, networks, alert permissions, a removed denial,
   * or use without an alert.
   */
  is_wider: boolean
  /** Whether holders may lose anything of the kind. */
  is_narrower: boolean
}

/**
 * How a change of the role, or of group tags, changes a role's reach. An action is gained if no usable grant existed
 * before, a group if any action is gained there. A removed denial counts as gained and a new one as lost, because
 * holders may have the right by another role. Undefined: no such role.
 */
export function changedReach(
  before: CompiledRole | undefined,
  after: CompiledRole | undefined,
  actions: readonly string[],
): ReachChange {
  const gained = gains(before, after, actions)
  const lost = gains(after, before, actions)
  return {
    actions_gained: gained.actions,
    actions_lost: lost.actions,
    groups_gained: gained.groups,
    groups_lost: lost.groups,
    is_wider: gained.is_any,
    is_narrower: lost.is_any,
  }
}

/**
 * Whether a caller who may do one of `actions` (those that undo the change) could not do it afterwards, or would be
 * outside the account's networks. With a group, the actions are checked for that group as well.
 */
export function locksOut(
  before: Access,
  after: Access,
  actions: readonly string[],
  group_id?: number | undefined,
): boolean {
  if (before.is_network_allowed && !after.is_network_allowed) return true
  const asks: ((access: Access, action: string) => boolean)[] = [
    (access, action) => access.may(action),
    (access, action) => access.allowsGroupless(action),
  ]
  if (group_id !== undefined) asks.push((access, action) => access.permits(action, { group_id }))
  return actions.some((action) => asks.some((ask) => ask(before, action) && !ask(after, action)))
}

/** One row for the payload types that share the same groups, limit by limit. */
function excessRows(
  action: string,
  groupIndex: GroupIndex,
  beyond: (type: PayloadType) => ExcessReach[],
): Excess[] {
  const byType = PAYLOAD_TYPES.map((type) => ({ type, sum: getSum(beyond(type)) }))
  return LIMITS.flatMap((limit) => {
    const byReach = Map.groupBy(byType, ({ sum }) => sum[limit])
    byReach.delete(NOWHERE)
    return Array.from(byReach, ([reach, types]) => ({
      action,
      limit,
      payload_types: types.map(({ type }) => type),
      groups: groupIndex.sample(reach),
    }))
  })
}

/** Each place once, under the most serious limit. */
function getSum(parts: readonly ExcessReach[]): ExcessReach {
  const all = (limit: Limit): Reach => parts.reduce((sum, part) => sum | part[limit], NOWHERE)
  const [reach, networks, watch] = [all('reach'), all('networks'), all('watch')]
  return { reach, networks: networks & ~reach, watch: watch & ~reach & ~networks }
}

/** Alert permissions that are given, but were not in `known` and are not held on these terms. */
function alertRows(
  grants: readonly { roles: readonly CompiledRole[]; cover: Cover }[],
  known?: CompiledRole,
): Excess[] {
  return ALERT_PERMISSIONS.filter((right) => !known?.alert_permissions[right]).flatMap((right) => {
    const lacking = grants
      .filter(({ roles }) => roles.some((role) => role.alert_permissions[right]))
      .map(({ cover }) => cover.alertLimit(right))
    const limit = LIMITS.find((each) => lacking.includes(each))
    if (!limit) return []
    const groups = { is_all: false, count: 0, first: [] }
    return [{ action: `alerts.${right}`, limit, payload_types: [], groups }]
  })
}

function gains(
  before: CompiledRole | undefined,
  after: CompiledRole | undefined,
  actions: readonly string[],
) {
  const groupIndex = after?.groupIndex ?? before?.groupIndex
  if (!groupIndex) return { actions: [], groups: { is_all: false, count: 0, first: [] }, is_any: false }
  const beforeThere = getTranslator(before?.groupIndex, groupIndex)
  const hasNewType = PAYLOAD_TYPES.some(
    (type) => after && covers(after, type) && !(before && covers(before, type)),
  )
  const gainedActions: string[] = []
  let all = NOWHERE
  for (const action of actions) {
    const had = beforeThere(grantedBy(before, action))
    const has = grantedBy(after, action)
    const lifted = beforeThere(deniedBy(before, action)) & ~deniedBy(after, action)
    const gained = (hasNewType ? has : has & ~had) | lifted
    if (isOfUse(action, gained) && !isOfUse(action, had)) gainedActions.push(action)
    all |= gained
  }
  const isFreed = after !== undefined && before !== undefined && isFreer(before, after)
  const hasNewAlerts = ALERT_PERMISSIONS.some(
    (right) => after?.alert_permissions[right] && !before?.alert_permissions[right],
  )
  return {
    actions: gainedActions,
    groups: groupIndex.sample(all),
    is_any: all !== NOWHERE || isFreed || hasNewAlerts,
  }
}

/** Whether an action can be called with a reach: an action without a group is of no use within groups only. */
const isOfUse = (action: string, reach: Reach): boolean => reach !== NOWHERE && !isConfined(action, reach)

/** Whether what the role grants may be used from elsewhere, or without the alert. */
function isFreer(before: CompiledRole, after: CompiledRole): boolean {
  return !within(after.networks, before.networks) || (before.is_alertable && !after.is_alertable)
}

function grantedBy(role: CompiledRole | undefined, action: string, type?: PayloadType): Reach {
  if (!role || (type !== undefined && !covers(role, type))) return NOWHERE
  return (role.allow.get(action) ?? NOWHERE) & ~deniedBy(role, action)
}

function deniedBy(role: CompiledRole | undefined, action: string): Reach {
  return role?.deny.get(action) ?? NOWHERE
}
