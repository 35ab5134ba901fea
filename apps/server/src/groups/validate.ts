import { type AccessImpact, type Fault, fault, type GroupTag } from '@custodia/contract'
import { type AccessGroup, checkGroupTags, completeTags } from '@custodia/domain'
import { changerOf, previewImpact } from '../access/impact.ts'
import { type Rights, withGroups } from '../access/rights.ts'
import { accessIn } from '../access/load.ts'
import type { PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { findDefinitions } from './tags/store.ts'

/** Placeholder id of a new group. */
const NEW_GROUP = 0

export interface ValidatedGroup {
  tags: GroupTag[]
  problems: Fault[]
  impact: AccessImpact
}

/**
 * Previews a group with these tags; reviews show it and saves are checked against it. An existing group must be
 * within the caller's reach, a new one must be afterwards. Problem: not_found.
 */
export async function validateGroup(
  context: PortalContext,
  q: Queryable,
  rights: Rights,
  action: 'groups:update' | 'groups:review',
  group_reference: string,
  wanted: readonly GroupTag[],
): Promise<ValidatedGroup> {
  const namesake = rights.groupIndex.groups.find((group) => group.group_reference === group_reference)
  const known = namesake?.is_reserved ? undefined : namesake
  if (known) assertWithinReach(context, action, known)
  const definitions = await findDefinitions(q)
  const complete = completeTags(wanted, definitions)
  // Faults count in the caller's order: a form shows them at its rows.
  const problems = checkGroupTags(complete, definitions)
  if (namesake?.is_reserved) problems.push(fault('group_reference', 'group_reserved'))
  const tags = inOrder(complete)
  const group = { group_id: known?.group_id ?? NEW_GROUP, group_reference, tags }
  const after = withGroups(
    rights,
    known
      ? rights.groupIndex.groups.map((each) => (each === known ? group : each))
      : [...rights.groupIndex.groups, group],
  )
  const changer = changerOf(context)
  if (!known) {
    const access = accessIn(after, {
      ...changer,
      groups: changer.group_references,
      is_support: changer.support_reference !== undefined,
    })
    if (!access.allowsGroupless(action) && !access.permits(action, group)) throw outOfReach()
  }
  const impact = previewImpact(rights, after, changer, {
    undo: ['groups:update'],
    group_id: known?.group_id,
  })
  // A new group is empty: moving people there, or changing its tags, is validated at that time.
  return { tags, problems, impact: known ? impact : { ...impact, escalations: [] } }
}

/** Problem: not_found, as if the group did not exist. */
export function assertWithinReach(
  { caller }: Pick<PortalContext, 'caller'>,
  action: string,
  { group_id }: Pick<AccessGroup, 'group_id'>,
): void {
  if (!caller.access.permits(action, { group_id })) throw outOfReach()
}

const outOfReach = () => new Problem('not_found', { detail: 'the group is out of reach' })

/** As the database gives them back, so that tags in another order are no change. */
const inOrder = (tags: readonly GroupTag[]): GroupTag[] =>
  tags.toSorted((a, b) => compare(a.key, b.key) || compare(a.value, b.value))
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
