import type { AccessImpact, Excess } from '@custodia/contract'
import { ESCALATE } from '@custodia/contract'
import { changedReach, exceeds, type Holding, locksOut, widening, within } from '@custodia/domain'
import type { PortalUser } from '../http/context.ts'
import { accessIn } from './load.ts'
import type { Rights } from './rights.ts'

/** Whoever changes rights. */
export type Changer = Pick<
  PortalUser,
  'roles' | 'group_references' | 'access' | 'user_reference' | 'support_reference'
> & {
  ip: string
}

/** Rows of an excess that are told; whoever reads more than these reads none. */
const EXCESSES = 200

/**
 * What a change means for people's rights: which roles reach otherwise, what is granted beyond the changer's own reach, and
 * whether the changer could no longer undo it by one of `undo`, asked for one group where it concerns one.
 * Reviews tell it and saves are held against it.
 */
export function judgeChange(
  before: Rights,
  after: Rights,
  changer: Changer,
  { undo, group_id }: { undo: readonly string[]; group_id?: number | undefined },
): AccessImpact {
  const actor = holdingOf(before, changer)
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
    // Whoever is let in from further networks brings all rights along.
    for (const role of after.roles.values())
      excesses.push(...exceeds({ roles: [role] }, actor, after.actions))
  }
  return impactOf(changer, excesses, roles, locksOutChanger(before, after, changer, undo, group_id))
}

/** What giving these roles to somebody means: a default, a client app. `group_references` confine the receiver. */
export function judgeGrant(
  rights: Rights,
  changer: Changer,
  granted: { roles: readonly string[]; group_references?: readonly string[] | undefined },
): AccessImpact {
  const roles = granted.roles.flatMap((reference) => rights.roles.get(reference) ?? [])
  const holding = { roles, group_references: granted.group_references }
  return impactOf(changer, exceeds(holding, holdingOf(rights, changer), rights.actions), [], false)
}

/** Two changes of one save, judged together. */
export function mergeImpacts(a: AccessImpact, b: AccessImpact): AccessImpact {
  return {
    locks_out: a.locks_out || b.locks_out,
    escalations: merged([...a.escalations, ...b.escalations]),
    may_escalate: a.may_escalate,
    roles: [...a.roles, ...b.roles],
  }
}

function impactOf(
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

function holdingOf(rights: Rights, { roles, group_references, ip }: Changer): Holding {
  return {
    roles: roles.flatMap((reference) => rights.roles.get(reference) ?? []),
    group_references: group_references ?? undefined,
    ip,
  }
}

function locksOutChanger(
  before: Rights,
  after: Rights,
  { roles, group_references, ip, support_reference }: Changer,
  undo: readonly string[],
  group_id: number | undefined,
): boolean {
  const question = { roles, groups: group_references, ip, is_support: support_reference !== undefined }
  return locksOut(accessIn(before, question), accessIn(after, question), undo, group_id)
}

/** Many roles exceed alike: one row per action and payload types, of the role that reaches most groups. */
function merged(excesses: readonly Excess[]): Excess[] {
  const rows = new Map<string, Excess>()
  for (const excess of excesses) {
    const key = JSON.stringify([excess.action, excess.payload_types])
    const known = rows.get(key)
    if (!known || known.groups.count < excess.groups.count) rows.set(key, excess)
  }
  return [...rows.values()]
    .toSorted((a, b) => (a.action < b.action ? -1 : a.action > b.action ? 1 : 0))
    .slice(0, EXCESSES)
}
