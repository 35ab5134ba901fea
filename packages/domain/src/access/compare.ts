/**
 * The escalation guard: what roles would grant beyond what somebody holds, and how a change moves what a role
 * reaches. Roles compiled before and after a change may stand on different groups; groups are the same by id.
 */
import { ALERT_PERMISSIONS, PAYLOAD_TYPES } from '@custodia/contract'
import type { Excess, PayloadType, RoleImpact } from '@custodia/contract'
import type { CompiledRole } from './compile-role.ts'
import type { Access } from './evaluate.ts'
import { NOWHERE, WITHOUT_GROUP } from './group-universe.ts'
import type { GroupUniverse, Reach } from './group-universe.ts'
import { admits, within } from './networks.ts'
import { covers, sumAlertPermissions, sumRoles } from './role-sum.ts'

/** What a person or client app holds. */
export type Holding = {
  roles: readonly CompiledRole[]
  /** Groups to which the holder is confined; absent: not confined. */
  group_references?: readonly string[] | undefined
  /** With it, roles whose networks do not admit the address grant nothing; they still forbid. Without, networks are not asked. */
  ip?: string | undefined
}

/**
 * What `granted` gives that `actor` does not hold: empty exactly when for every action, place and payload type that
 * `granted` permits, `actor` permits it as well, and `actor` holds every alert permission. Denies count on both
 * sides. A row whose groups are none (`count` 0) concerns what has no group, or groups still to be created.
 */
export function exceeds(granted: Holding, actor: Holding, actions: readonly string[]): Excess[] {
  const given = viewOf(granted)
  const held = viewOf(actor)
  const universe = given.universe
  if (!universe) return []
  const heldThere = translatorOf(held.universe, universe)
  const rows = actions.flatMap((action) => {
    const groupless = given.groupless(action) & ~held.groupless(action)
    return excessRows(action, universe, (type) => {
      const reach = given.reach(action, type)
      return (reach.rows & ~heldThere(held.reach(action, type).rows)) | (reach.any & groupless)
    })
  })
  return [...rows, ...alertRows(granted.roles, [], actor)]
}

/**
 * What a change of one role newly gives to its holders that `actor` does not hold. A denial that is lifted counts as
 * given, for all payload types, because holders may have the right by another role. When the role is let out of its
 * networks or no longer raises its alert, all it grants counts as new.
 */
export function widening(
  before: CompiledRole | undefined,
  after: CompiledRole | undefined,
  actor: Holding,
  actions: readonly string[],
): Excess[] {
  const universe = (after ?? before)?.universe
  if (!universe) return []
  const held = viewOf(actor)
  const heldThere = translatorOf(held.universe, universe)
  const beforeThere = translatorOf(before?.universe, universe)
  const allIsNew = before && after && isFreer(before, after)
  const rows = actions.flatMap((action) => {
    const lifted = beforeThere(deniedBy(before, action)) & ~deniedBy(after, action)
    return excessRows(action, universe, (type) => {
      const had = allIsNew ? NOWHERE : beforeThere(grantedBy(before, action, type))
      const gained = (grantedBy(after, action, type) & ~had) | lifted
      return gained & ~heldThere(held.reach(action, type).rows)
    })
  })
  return [...rows, ...alertRows(after ? [after] : [], before ? [before] : [], actor)]
}

export type ReachChange = Omit<RoleImpact, 'role_reference'> & {
  /** Whether holders may gain anything: groups, actions, payload types, networks, alert permissions, a lifted denial. */
  is_wider: boolean
  /** Whether holders may lose anything of the kind. */
  is_narrower: boolean
}

/**
 * How what a role reaches changes when the role, or the tags of groups, change. An action is gained when it was
 * granted nowhere; a group is gained when anything at all is gained there. A lifted denial counts as gained, a new
 * one as lost, because holders may have the right by another role. Undefined: no such role.
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
 * Whether a caller who now may do one of `actions` (those that undo the change) could not do it afterwards, or would
 * be outside the account's networks. With a group, the actions are also asked for that group.
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

function viewOf({ roles, group_references, ip }: Holding) {
  const granting = ip === undefined ? roles : roles.filter((role) => admits(role.networks, ip))
  const { universe, reach, confinement } = sumRoles(roles, granting, group_references)
  return {
    universe,
    /** `rows`: what may be done with things, which a confinement narrows. `any`: the same without it. */
    reach: (action: string, type: PayloadType) => {
      const any = reach(action, type)
      return { any, rows: any & confinement }
    },
    /** Whether the action is granted where no group is concerned, as a reach. */
    groupless: (action: string) => reach(action) & WITHOUT_GROUP,
  }
}

/** One row for the payload types that share the same groups. */
function excessRows(action: string, universe: GroupUniverse, beyond: (type: PayloadType) => Reach): Excess[] {
  const typesByReach = Map.groupBy(PAYLOAD_TYPES, beyond)
  typesByReach.delete(NOWHERE)
  return Array.from(typesByReach, ([reach, payload_types]) => ({
    action,
    payload_types,
    groups: universe.sample(reach),
  }))
}

/** Alert permissions of `granted` that neither `had` nor the actor holds. */
function alertRows(granted: readonly CompiledRole[], had: readonly CompiledRole[], actor: Holding): Excess[] {
  const { roles, ip } = actor
  const granting = ip === undefined ? roles : roles.filter((role) => admits(role.networks, ip))
  const [given, held] = [sumAlertPermissions(granted), sumAlertPermissions([...had, ...granting])]
  return ALERT_PERMISSIONS.filter((right) => given[right] && !held[right]).map((right) => ({
    action: `alerts.${right}`,
    payload_types: [],
    groups: { is_all: false, count: 0, first: [] },
  }))
}

function gains(
  before: CompiledRole | undefined,
  after: CompiledRole | undefined,
  actions: readonly string[],
) {
  const universe = after?.universe ?? before?.universe
  if (!universe) return { actions: [], groups: { is_all: false, count: 0, first: [] }, is_any: false }
  const beforeThere = translatorOf(before?.universe, universe)
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
    if (gained !== NOWHERE && had === NOWHERE) gainedActions.push(action)
    all |= gained
  }
  const isFreed = after !== undefined && before !== undefined && !within(after.networks, before.networks)
  const hasNewAlerts = ALERT_PERMISSIONS.some(
    (right) => after?.alert_permissions[right] && !before?.alert_permissions[right],
  )
  return {
    actions: gainedActions,
    groups: universe.sample(all),
    is_any: all !== NOWHERE || isFreed || hasNewAlerts,
  }
}

function isFreer(before: CompiledRole, after: CompiledRole): boolean {
  return !within(after.networks, before.networks) || (before.is_alertable && !after.is_alertable)
}

/** What one role grants by itself. */
function grantedBy(role: CompiledRole | undefined, action: string, type?: PayloadType): Reach {
  if (!role || (type !== undefined && !covers(role, type))) return NOWHERE
  return (role.allow.get(action) ?? NOWHERE) & ~deniedBy(role, action)
}

function deniedBy(role: CompiledRole | undefined, action: string): Reach {
  return role?.deny.get(action) ?? NOWHERE
}

/** Reaches of one universe in another, each distinct one translated once. */
function translatorOf(from: GroupUniverse | undefined, to: GroupUniverse): (reach: Reach) => Reach {
  if (!from) return () => NOWHERE
  if (from === to) return (reach) => reach
  const known = new Map<Reach, Reach>()
  return (reach) => {
    let there = known.get(reach)
    if (there === undefined) known.set(reach, (there = from.translate(reach, to)))
    return there
  }
}
