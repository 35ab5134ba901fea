import {
  type AccessImpact,
  type AlertTextCode,
  ESCALATE,
  type Excess,
  type PayloadType,
  SUPPORT_ACTIONS,
} from '@custodia/contract'
import {
  type Access,
  changedReach,
  type CompiledRole,
  covers,
  exceeds,
  type Holding,
  locksOut,
  type Networks,
  widening,
  within,
} from '@custodia/domain'
import { raiseAlert } from '../alerts/raise.ts'
import { getActor, type PortalContext, type PortalUser } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { accessIn } from './load.ts'
import type { Rights } from './rights.ts'

/** The user who changes rights. */
export type Changer = Pick<
  PortalUser,
  'roles' | 'group_references' | 'access' | 'user_reference' | 'support_reference' | 'own_networks'
> & { ip: string }

/** Maximum rows of an excess in an answer; a reader takes no more than these. */
const EXCESSES = 200

/** How a change can be taken back. */
interface UndoRights {
  /** The actions, one of which is enough. */
  undo: readonly string[]
  /** The group for which the actions are checked as well, if the change concerns one. */
  group_id?: number | undefined
  /** The changer's roles afterwards, where the change gives or takes some. */
  roles_after?: readonly string[] | undefined
  /** The rights by which the changer's own reach is read, if not those before the change; of the same groups. */
  held?: Rights | undefined
}

/**
 * Previews a rights change: which roles change their reach, what exceeds the changer's own reach, and whether the
 * changer could not undo it. Reviews show the result and saves are checked against it.
 */
export function previewImpact(
  before: Rights,
  after: Rights,
  changer: Changer,
  undoing: UndoRights,
): AccessImpact {
  const actor = getHolding(undoing.held ?? before, changer)
  const excesses: Excess[] = []
  const roles: AccessImpact['roles'] = []
  for (const role_reference of [...after.touched].toSorted()) {
    const [was, is] = [before.roles.get(role_reference), after.roles.get(role_reference)]
    const { is_wider, is_narrower, ...reach } = changedReach(was, is, after.actions)
    if (!is_wider && !is_narrower) continue
    roles.push({ role_reference, ...reach })
    excesses.push(...widening(was, is, actor, after.actions))
  }
  if (!within(after.networks, before.networks)) {
    // Users of further networks bring all their rights along.
    for (const role of after.roles.values())
      excesses.push(...exceeds({ roles: [role], networks: after.networks }, actor, after.actions))
  }
  return getImpact(changer, excesses, roles, locksOutChanger(before, after, changer, undoing))
}

/**
 * Previews a grant of roles, for example by a default or a client app. Groups and networks of the grant confine the
 * receiver.
 */
export function previewGrantImpact(
  rights: Rights,
  changer: Changer,
  {
    roles,
    ...confined
  }: {
    roles: readonly string[]
    group_references?: readonly string[] | undefined
    networks?: Networks | undefined
  },
): AccessImpact {
  const holding = { ...confined, roles: rolesIn(rights, roles) }
  return getImpact(changer, exceeds(holding, getHolding(rights, changer), rights.actions), [], false)
}

/** Whether roles, confined to groups, give anything that others did not. */
export function givesMore(
  rights: Rights,
  before: { roles: readonly string[]; group_references?: readonly string[] | undefined },
  after: { roles: readonly string[]; group_references?: readonly string[] | undefined },
): boolean {
  const holding = ({ roles, group_references }: typeof before) => ({
    group_references,
    roles: rolesIn(rights, roles),
  })
  return exceeds(holding(after), holding(before), rights.actions).length > 0
}

/** What a transfer config, for example, uses of a role. */
interface RoleUse {
  role_reference: string
  actions: readonly string[]
  payload_types: readonly PayloadType[]
}

/** What a changer grants by a machine's use of a role: only the used part of the role. */
export function impactOfRoleUse(rights: Rights, changer: Changer, use: RoleUse): AccessImpact {
  const role = rights.roles.get(use.role_reference)
  const holding = { roles: role ? [narrowedTo(role, use)] : [] }
  return getImpact(changer, exceeds(holding, getHolding(rights, changer), use.actions), [], false)
}

/** What a person who gives rights later has then. */
interface Giver {
  roles: readonly string[]
  groups: readonly string[] | null
  access: Access
}

/** Whether a person's roles give all that other roles, confined to groups, give, or may give more. */
export const mayGrantRoles = (
  rights: Rights,
  { access, ...own }: Giver,
  given: Pick<Giver, 'roles' | 'groups'>,
): boolean => {
  const confined = ({ roles, groups }: typeof given) => ({ roles, group_references: groups ?? undefined })
  return access.allowsGroupless(ESCALATE) || !givesMore(rights, confined(own), confined(given))
}

/** Whether a person's roles give all that a machine would use of a role, or may give more. */
export function mayGrantRoleUse(rights: Rights, { roles, groups, access }: Giver, use: RoleUse): boolean {
  const role = rights.roles.get(use.role_reference)
  const holding = { roles: rolesIn(rights, roles), group_references: groups ?? undefined }
  const used = { roles: role ? [narrowedTo(role, use)] : [] }
  return access.allowsGroupless(ESCALATE) || exceeds(used, holding, use.actions).length === 0
}

const NO_ALERTS = { ops_read: false, ops_write: false, sec_read: false, sec_write: false }
const narrowedTo = (role: CompiledRole, { actions, payload_types }: RoleUse): CompiledRole => ({
  ...role,
  payload_types: payload_types.filter((type) => covers(role, type)),
  alert_permissions: NO_ALERTS,
  allow: new Map([...role.allow].filter(([action]) => actions.includes(action))),
})

const isIn = (roles: AccessImpact['roles'], { role_reference }: AccessImpact['roles'][number]) =>
  roles.some((each) => each.role_reference === role_reference)

/** Merges the impacts of two changes of one save. */
export function mergeImpacts(a: AccessImpact, b: AccessImpact): AccessImpact {
  return {
    locks_out: a.locks_out || b.locks_out,
    escalations: merged([...a.escalations, ...b.escalations]),
    may_escalate: a.may_escalate,
    roles: [...a.roles, ...b.roles.filter((each) => !isIn(a.roles, each))],
  }
}

function getImpact(
  changer: Changer,
  excesses: readonly Excess[],
  roles: AccessImpact['roles'],
  locks_out: boolean,
): AccessImpact {
  return {
    locks_out,
    escalations: merged(excesses),
    may_escalate: changer.access.allowsGroupless(ESCALATE),
    roles,
  }
}

const rolesIn = (rights: Rights, roles: readonly string[]) =>
  roles.flatMap((reference) => rights.roles.get(reference) ?? [])

function getHolding(rights: Rights, changer: Changer): Holding {
  const { roles, group_references, support_reference, own_networks, ip } = changer
  return {
    roles: rolesIn(rights, roles),
    group_references: group_references ?? undefined,
    actions: support_reference === undefined ? undefined : SUPPORT_ACTIONS,
    networks: own_networks,
    ip,
  }
}

/**
 * Whether the changer loses rights that they cannot restore. Restoring grants rights that they no longer hold, so any
 * loss is permanent unless they may still grant beyond their reach.
 */
function locksOutChanger(
  before: Rights,
  after: Rights,
  changer: Changer,
  { undo, group_id, roles_after = changer.roles }: UndoRights,
): boolean {
  const { group_references: groups, ip, support_reference } = changer
  const question = { groups, ip, is_support: support_reference !== undefined }
  const then = accessIn(after, { ...question, roles: roles_after })
  if (locksOut(accessIn(before, { ...question, roles: changer.roles }), then, undo, group_id)) return true
  if (then.allowsGroupless(ESCALATE)) return false
  // Without the address: rights in the office count at home as well.
  const held = { ...getHolding(before, changer), ip: undefined }
  const kept = { ...getHolding(after, changer), roles: rolesIn(after, roles_after), ip: undefined }
  return exceeds(held, kept, before.actions).length > 0
}

/** Many roles exceed alike: one row per action, limit and payload types, of the role that reaches most groups. */
function merged(excesses: readonly Excess[]): Excess[] {
  const rows = new Map<string, Excess>()
  for (const excess of excesses) {
    const key = JSON.stringify([excess.action, excess.limit, excess.payload_types])
    const known = rows.get(key)
    if (!known || known.groups.count < excess.groups.count) rows.set(key, excess)
  }
  return [...rows.values()]
    .toSorted((a, b) => (a.action < b.action ? -1 : a.action > b.action ? 1 : 0))
    .slice(0, EXCESSES)
}

/** A change of rights: its alert text, and the name of the changed object. */
interface Change {
  text: AlertTextCode & `escalated_by_${string}`
  name: string
}

/** Rows of an excess that an alert spells out. */
const NAMED = 5

/** The caller as the subject of a rights check. */
export const getChanger = ({ caller, ip }: Pick<PortalContext, 'caller' | 'ip'>): Changer => ({
  ...caller,
  ip,
})

/**
 * Rejects a save that exceeds the caller's rights, inside its transaction. A grant beyond the caller's own rights
 * needs `access:escalate` and raises a High security alert. Problems: locks_out, escalation.
 * @param what text for the alert, and for the audit entry of a refusal
 */
export async function assertPermitted(
  context: PortalContext,
  tx: Tx,
  impact: AccessImpact,
  { what, confirm_lockout }: { what: Change; confirm_lockout: boolean | undefined },
): Promise<void> {
  if (impact.escalations.length > 0 && !impact.may_escalate)
    throw new Problem('escalation', { detail: `${what.name}: ${described(impact.escalations)}` })
  if (impact.locks_out && !confirm_lockout) throw new Problem('locks_out', { detail: what.name })
  if (impact.escalations.length > 0) await getAlert(context, tx, what, impact.escalations)
}

function getAlert(
  { caller, action, now }: PortalContext,
  tx: Tx,
  what: Change,
  excesses: readonly Excess[],
): Promise<void> {
  const user = getActor(caller)
  return raiseAlert(tx, {
    alert_scopes: ['sec'],
    alert_type: 'PortalUserAlert',
    alert_key: `escalation ${user}`,
    text: what.text,
    values: { user, name: what.name, rights: described(excesses) },
    alert_severity: 'High',
    api_action: action,
    related_entities: [{ entity_id: caller.user_reference, entity_type: 'PortalUser' }],
    now,
  })
}

/** A language-neutral summary of a grant: `payloads:list (*), payloads:read (Desk 1, Desk 2, +7)`. */
function described(excesses: readonly Excess[]): string {
  const named = excesses.slice(0, NAMED).map(({ action, groups }) => {
    if (groups.is_all) return `${action} (*)`
    return groups.count > 0 ? `${action} (${counted(groups.first.slice(0, 3), groups.count)})` : action
  })
  return counted(named, excesses.length)
}

function counted(named: readonly string[], count: number): string {
  return [...named, ...(count > named.length ? [`+${count - named.length}`] : [])].join(', ')
}
