/** Who may do what, where: the roles of one person or client app, read together, for one request. */
import {
  type AccessDecision,
  type AccessOutcome,
  MATTER_ACTIONS,
  PAYLOAD_TYPES,
  type PayloadType,
  type Role,
} from '@custodia/contract'
import { type GroupIndex, NOWHERE, type Reach, WITHOUT_GROUP } from './group-index.ts'
import { admits, type Networks } from './networks.ts'
import {
  type CompiledPermission,
  type CompiledRole,
  covers,
  isConfined,
  sumAlertPermissions,
  sumRoles,
} from './role-sum.ts'

/**
 * One part of what a list may show; in SQL: `type = any(types) and group_id = any(groups)`.
 * 'all' means no filter, so rows without a group and groups created a moment ago are in it.
 */
export type Lane = {
  types: PayloadType[] | 'all'
  groups: number[] | 'all'
  /** Whether rows without a group belong to the lane; always true when `groups` is 'all'. */
  groupless: boolean
}

/**
 * Gathers the payload types that reach the same groups, so that a filter has as few parts as possible and no row
 * is in two of them.
 */
function getLanes(
  reachOfType: (type: PayloadType) => Reach,
  everything: Reach,
  getIds: (reach: Reach) => number[],
): Lane[] {
  const typesByReach = new Map<Reach, PayloadType[]>()
  for (const type of PAYLOAD_TYPES) {
    const reach = reachOfType(type)
    if (reach === NOWHERE) continue
    const types = typesByReach.get(reach)
    if (types) types.push(type)
    else typesByReach.set(reach, [type])
  }
  return Array.from(typesByReach, ([reach, types]) => ({
    types: types.length === PAYLOAD_TYPES.length ? 'all' : types,
    groups: reach === everything ? 'all' : getIds(reach),
    groupless: (reach & WITHOUT_GROUP) !== NOWHERE,
  }))
}

export type Principal = {
  roles: readonly CompiledRole[]
  /** Address of the caller, proxies already resolved. */
  ip: string
  /**
   * Groups to which the identity provider confines this person; absent: not confined, empty: to none. It narrows
   * what every role reaches among groups and leaves actions alone that have no group (`profile:read`). The
   * `user_group` claim is something else: a default for new records and an entry in the audit, never a right.
   */
  group_references?: readonly string[] | undefined
  /** The only actions that any role can give here, as in support mode; absent: all. */
  actions?: ReadonlySet<string> | undefined
  /**
   * Legal matters to whose recordings this person is limited; absent: not limited. They leave `MATTER_ACTIONS` and no
   * alerts. Which recordings are in a matter is not known here: the database shows this person no others.
   */
  matters?: readonly string[] | undefined
}

export type Target = { group_id: number | null; payload_type?: PayloadType | undefined }

/** A target in an explanation: `matters` are those with the recording; absent: none. */
export type ExplainedTarget = Target & { matters?: readonly string[] | undefined }

export type Access = {
  /** False when the account's CIDR ranges keep the caller out, whatever the roles say. */
  is_network_allowed: boolean
  /** Legal matters to whose recordings the caller is limited; undefined: not limited. */
  matters: readonly string[] | undefined
  /** Roles that grant something from this address. */
  roles: readonly string[]
  /** Those of `roles` whose use raises a security alert. */
  alertable_roles: readonly string[]
  /** Those of `alertable_roles` that grant this action, which the caller may do: its use raises their alerts. */
  alertableFor: (action: string) => string[]
  /** Union over `roles`; write means clearing. */
  alert_permissions: Role['alert_permissions']
  /** Union over those of `roles` that grant an action on payloads. */
  payload_types: PayloadType[]
  /**
   * Whether calls of the action are allowed: it is granted for any group, type or none; where it concerns no group, without
   * a condition on groups. Granted without a group that fits gives empty lists.
   */
  may: (action: string) => boolean
  /** Whether the action is granted where no group is concerned (`roles:list`): for this type, or for any. */
  allowsGroupless: (action: string, payload_type?: PayloadType) => boolean
  /** What a list may show, as disjoint parts: each payload type stands in one lane at most. */
  lanes: (action: string) => Lane[]
  /** Groups of `lanes`, types aside: for lists of things that have a group and no payload type. */
  groups: (action: string) => readonly number[] | 'all'
  /** Whether the action is granted on this one thing. Without a payload type, types are not asked. */
  permits: (action: string, target: Target) => boolean
  /** All actions for which `may` holds, sorted: `profile.actions`. */
  actions: () => string[]
}

/**
 * Evaluates the roles together (spec section 6, docs/access.md): a role inside its networks grants group and type,
 * unless any role denies the action there. A denial needs neither type nor network: leaving the office must not
 * disable it.
 */
export function evaluate(principal: Principal, account: { networks: Networks }): Access {
  const is_network_allowed = admits(account.networks, principal.ip)
  const roles = is_network_allowed
    ? principal.roles.filter((role) => admits(role.networks, principal.ip))
    : []
  const actions = actionsFor(principal)
  const { groupIndex, denied, reach, confinement } = sumRoles(
    principal.roles,
    roles,
    principal.group_references,
    actions,
  )
  const everything = groupIndex?.everything ?? NOWHERE
  // An access is asked by many requests: the ids of ten thousand groups are read off once.
  const getIds = memoised((reach: Reach) => groupIndex?.ids(reach) ?? [])
  const lanes = memoised((action: string) =>
    groupIndex ? getLanes((type) => reach(action, type) & confinement, everything, getIds) : [],
  )
  const may = (action: string): boolean =>
    actions?.has(action) !== false &&
    roles.some((role) => role.allow.has(action)) &&
    denied(action) !== everything &&
    !isConfined(action, reach(action))

  return {
    is_network_allowed,
    matters: principal.matters,
    roles: roles.map((role) => role.role_reference),
    alertable_roles: roles.filter((role) => role.is_alertable).map((role) => role.role_reference),
    alertableFor: (action) =>
      may(action)
        ? roles
            .filter(({ is_alertable, allow }) => {
              const granted = allow.get(action)
              return is_alertable && granted !== undefined && !isConfined(action, granted)
            })
            .map((role) => role.role_reference)
        : [],
    alert_permissions: sumAlertPermissions(principal.matters ? [] : roles),
    payload_types: getTypes(roles.filter(concernsPayloads)),
    may,
    allowsGroupless: (action, payload_type) => (reach(action, payload_type) & WITHOUT_GROUP) !== NOWHERE,
    lanes,
    groups: (action) => {
      if (!groupIndex) return []
      const all = reach(action) & confinement
      return all === everything ? 'all' : getIds(all)
    },
    permits: (action, { group_id, payload_type }) =>
      groupIndex !== undefined && groupIndex.holds(reach(action, payload_type) & confinement, group_id),
    actions: () => [...new Set(roles.flatMap((role) => [...role.allow.keys()]))].filter(may).sort(),
  }
}

/** The payload types that count for an action of the account; undefined: all. */
export function accountTypes(
  access: Pick<Access, 'allowsGroupless'>,
  action: string,
): readonly PayloadType[] | undefined {
  const types = PAYLOAD_TYPES.filter((type) => access.allowsGroupless(action, type))
  return types.length === PAYLOAD_TYPES.length ? undefined : types
}

/** The only actions that the roles can give. */
const actionsFor = ({ actions, matters }: Principal): ReadonlySet<string> | undefined =>
  matters && actions
    ? new Set([...actions].filter((action) => MATTER_ACTIONS.has(action)))
    : matters
      ? MATTER_ACTIONS
      : actions

/** The same function, which computes each value once. */
function memoised<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = compute(key)))
    return value
  }
}

/** What each role of a person says about an action. */
export interface RoleReason {
  role_reference: string
  outcome: AccessOutcome
  /** Numbers of the permissions that grant or forbid it, from 1. */
  rules: number[]
}

/** Whether a person may do something, and why. */
export interface Explanation {
  is_allowed: boolean
  decision: AccessDecision
  roles: RoleReason[]
}

/**
 * Explains the answer of `evaluate`, from which `is_allowed` comes.
 * @param getPermissions the permissions of a role in their order, compiled against the same groups
 * @param target absent: the action anywhere
 */
export function explain(
  principal: Principal,
  account: { networks: Networks },
  getPermissions: (role_reference: string) => readonly CompiledPermission[],
  { action, target }: { action: string; target?: ExplainedTarget | undefined },
): Explanation {
  const access = evaluate(principal, account)
  const isWithinMatters =
    !principal.matters || !target || principal.matters.some((each) => target.matters?.includes(each) ?? false)
  const is_allowed = isWithinMatters && (target ? access.permits(action, target) : access.may(action))
  const roles = principal.roles.map((role) => {
    const outcome = getOutcome(role, principal.ip, action, target)
    const rules = getRules(role.groupIndex, getPermissions(role.role_reference), { action, target, outcome })
    return { role_reference: role.role_reference, outcome, rules }
  })
  const has = (outcome: AccessOutcome) => roles.some((role) => role.outcome === outcome)
  const refusal = (): AccessDecision => {
    if (!access.is_network_allowed) return 'outside_networks'
    if (principal.actions?.has(action) === false) return 'not_in_support'
    if (!isWithinMatters || actionsFor(principal)?.has(action) === false) return 'outside_matters'
    if (has('denies')) return 'denied'
    // Without a target, several roles together forbid the action everywhere.
    if (has('grants')) return target ? 'outside_groups' : 'denied'
    return has('other_network') ? 'outside_networks' : 'not_granted'
  }
  return { is_allowed, decision: is_allowed ? 'granted' : refusal(), roles }
}

function getOutcome(
  role: CompiledRole,
  ip: string,
  action: string,
  target: Target | undefined,
): AccessOutcome {
  const { groupIndex } = role
  const allowed = role.allow.get(action)
  const denied = role.deny.get(action) ?? NOWHERE
  if (target ? groupIndex.holds(denied, target.group_id) : denied === groupIndex.everything) return 'denies'
  if (allowed === undefined) return 'not_granted'
  if (!admits(role.networks, ip)) return 'other_network'
  if (target?.payload_type !== undefined && !covers(role, target.payload_type)) return 'other_type'
  const isElsewhere = target ? !groupIndex.holds(allowed, target.group_id) : isConfined(action, allowed)
  return isElsewhere ? 'other_group' : 'grants'
}

function getRules(
  groupIndex: GroupIndex,
  permissions: readonly CompiledPermission[],
  { action, target, outcome }: { action: string; target: Target | undefined; outcome: AccessOutcome },
): number[] {
  if (outcome !== 'grants' && outcome !== 'denies') return []
  return permissions.flatMap(({ is_denied, matches, reach }, index) => {
    if (is_denied !== (outcome === 'denies') || !matches(action)) return []
    return !target || groupIndex.holds(reach, target.group_id) ? [index + 1] : []
  })
}

const concernsPayloads = (role: CompiledRole): boolean =>
  [...role.allow.keys()].some((action) => /^payloads[:.]/.test(action))

const getTypes = (roles: readonly CompiledRole[]): PayloadType[] =>
  PAYLOAD_TYPES.filter((type) => roles.some((role) => covers(role, type)))

type Groups = readonly number[] | 'all'

/** Which payloads are within reach: of these types in these groups. A type stands in one part at most, no part is empty. It is stored as JSON. */
export type PayloadReach = readonly { types: readonly PayloadType[]; groups: Groups }[]

/** The reach of lanes, limited to some payload types. */
export const reachOfLanes = (lanes: readonly Lane[], types: readonly PayloadType[]): PayloadReach =>
  combine(lanes, [{ types, groups: 'all' }], intersectGroups)

/** What lies in both. */
export const intersectReach = (a: PayloadReach, b: PayloadReach): PayloadReach =>
  combine(a, b, intersectGroups)

/** What lies in `a` and not in `b`. All groups without some count as all groups, because later groups are unknown. */
export const subtractReach = (a: PayloadReach, b: PayloadReach): PayloadReach =>
  combine(a, b, (mine, others) => {
    if (others === 'all') return []
    if (mine === 'all') return 'all'
    const taken = new Set(others)
    return mine.filter((id) => !taken.has(id))
  })

/** Whether a payload lies in the reach. */
export const isWithinReach = (
  reach: PayloadReach,
  { group_id, payload_type }: { group_id: number; payload_type: PayloadType },
): boolean =>
  reach.some(
    ({ types, groups }) => types.includes(payload_type) && (groups === 'all' || groups.includes(group_id)),
  )

function intersectGroups(a: Groups, b: Groups): Groups {
  if (a === 'all') return b
  if (b === 'all') return a
  const wanted = new Set(b)
  return a.filter((id) => wanted.has(id))
}

type Parts = readonly { types: readonly PayloadType[] | 'all'; groups: Groups }[]

function combine(a: Parts, b: Parts, getGroups: (a: Groups, b: Groups) => Groups): PayloadReach {
  const [ofA, ofB] = [groupsByType(a), groupsByType(b)]
  const byGroups = new Map<string, { types: PayloadType[]; groups: Groups }>()
  for (const type of PAYLOAD_TYPES) {
    const groups = getGroups(ofA.get(type) ?? [], ofB.get(type) ?? [])
    if (groups.length === 0) continue
    const key = JSON.stringify(groups)
    const part = byGroups.get(key)
    if (part) part.types.push(type)
    else byGroups.set(key, { types: [type], groups })
  }
  return [...byGroups.values()]
}

const groupsByType = (parts: Parts): Map<PayloadType, Groups> =>
  new Map(
    parts.flatMap(({ types, groups }) =>
      (types === 'all' ? PAYLOAD_TYPES : types).map((type) => [type, groups] as const),
    ),
  )
