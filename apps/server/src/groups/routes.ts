import { type AccessImpact, type Fault, type GroupTag, fault, hasInvisible } from '@custodia/contract'
import { type AccessGroup, checkGroupTags, completeTags } from '@custodia/domain'
import { assertPermitted, getChanger, previewImpact } from '../access/impact.ts'
import { type AccessCache, accessIn } from '../access/load.ts'
import { type Rights, withGroups } from '../access/rights.ts'
import { seenGroups } from '../access/visible-groups.ts'
import type { AppContext } from '../app-context.ts'
import { type Handler, type Handlers, type PortalContext, getActor } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { pageByName } from '../http/page.ts'
import { Problem, withinReach } from '../http/problem.ts'
import type { Queryable } from '../ports/database/lease.ts'
import {
  countGroups,
  findGroup,
  findUsesOfGroup,
  insertGroup,
  listGroups,
  readStoredGroup,
  removeGroup,
  replaceTags,
} from './store.ts'
import { findDefinitions } from './tags/store.ts'

/** Handlers of groups. */
export const groupRoutes = (
  ctx: Pick<AppContext, 'cursors'>,
  book: AccessCache,
): Handlers<'listGroups' | 'readGroup' | 'saveGroup' | 'reviewGroup' | 'deleteGroup'> => ({
  listGroups: listGroupsWithinReach(ctx),
  readGroup,
  saveGroup: saveGroup(book),
  reviewGroup: reviewGroup(book),
  deleteGroup: deleteGroup(book),
})

const readGroup: Handler<'readGroup'> = async (context, { params: { group_reference } }) => {
  const group = await context.read(async (q) => {
    const found = await findGroup(q, group_reference)
    if (!found) throw noGroup()
    assertWithinReach(context, 'groups:read', found)
    return readStoredGroup(q, group_reference, context.now)
  })
  if (!group) throw noGroup()
  return group
}

/** What saving the group so would mean. */
const reviewGroup =
  (book: AccessCache): Handler<'reviewGroup'> =>
  (context, { params, body }) =>
    context.read(async (q) => {
      const rights = await book.getRights(q)
      const { problems, impact } = await validateGroup(
        context,
        q,
        rights,
        'groups:review',
        params.group_reference,
        body.tags,
      )
      return { problems, warnings: [], impact: seenGroups(context.caller, rights).narrowToSeen(impact) }
    })

/** Deletes an empty group. */
const deleteGroup =
  (book: AccessCache): Handler<'deleteGroup'> =>
  async (context, { params: { group_reference } }) => {
    await context.write(async (tx) => {
      await book.beginChange(tx, context)
      const group = await findGroup(tx, group_reference, 'for update')
      if (!group) throw noGroup()
      assertWithinReach(context, 'groups:delete', group)
      assertUnchanged(context, group.version)
      const uses = await findUsesOfGroup(tx, group.group_id)
      if (uses.length > 0) throw new Problem('in_use', { detail: uses.join(', ') })
      await removeGroup(tx, group.group_id)
    })
    return {}
  }

const noGroup = () => new Problem('not_found', { detail: 'no such group' })

/** The groups that the caller may see, by reference, or their total. */
function listGroupsWithinReach(ctx: Pick<AppContext, 'cursors'>): Handler<'listGroups'> {
  return async (context, { query }) => {
    const { access, client_id } = context.caller
    const { search = '', tag_key, tag_value } = query
    const filter = { groups: access.groups('groups:list'), search, tag_key, tag_value }
    if (query.type === 'total') return { total: await context.readFromReplica((q) => countGroups(q, filter)) }
    const now = context.now
    return pageByName(
      ctx.cursors,
      { name: 'groups', client_id, query },
      (after, limit) => context.readFromReplica((q) => listGroups(q, filter, { after, limit, now })),
      ({ group_reference }) => group_reference,
    )
  }
}

/** Creates or replaces a group. */
export function saveGroup(book: AccessCache): Handler<'saveGroup'> {
  return async (context, { params, query, body }) => {
    const { group_reference } = params
    const saved = await context.write(async (tx) => {
      const rights = await book.beginChange(tx, context)
      const known = await findGroup(tx, group_reference)
      const { tags, problems, impact } = await validateGroup(
        context,
        tx,
        rights,
        'groups:update',
        group_reference,
        body.tags,
      )
      assertUnchanged(context, known?.version)
      if (problems.length > 0) throw new Problem('invalid_input', { faults: problems })
      await assertPermitted(context, tx, impact, {
        what: { text: 'escalated_by_group', name: group_reference },
        confirm_lockout: query.confirm_lockout,
      })
      const by = { updated_at: context.now, updated_by: getActor(context.caller) }
      const group_id = known?.group_id ?? (await insertGroup(tx, group_reference, by))
      if (group_id === undefined) throw new Error('the group was not stored')
      await replaceTags(tx, [{ group_id, tags }], by)
      return readStoredGroup(tx, group_reference, context.now)
    })
    if (!saved) throw new Error('the group was not stored')
    return saved
  }
}

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
  if (!known && hasInvisible(group_reference)) problems.push(fault('group_reference', 'invisible_character'))
  const tags = inOrder(complete)
  const group = { group_id: known?.group_id ?? NEW_GROUP, group_reference, tags }
  const after = withGroups(
    rights,
    known
      ? rights.groupIndex.groups.map((each) => (each === known ? group : each))
      : [...rights.groupIndex.groups, group],
  )
  const changer = getChanger(context)
  if (!known) {
    const access = accessIn(after, {
      ...changer,
      groups: changer.group_references,
      is_support: changer.support_reference !== undefined,
    })
    if (!access.allowsGroupless(action) && !access.permits(action, group)) throw outOfReach()
  }
  const impact = previewImpact(rights, after, changer, { undo: ['groups:update'], group_id: known?.group_id })
  // A new group is empty: moving people there, or changing its tags, is validated at that time.
  return { tags, problems, impact: known ? impact : { ...impact, escalations: [] } }
}

/** Problems: as `refusalOf`. */
function assertWithinReach(
  { caller }: Pick<PortalContext, 'caller'>,
  action: string,
  { group_id }: Pick<AccessGroup, 'group_id'>,
): void {
  withinReach({ caller, action }, { group_id }, 'groups')
}

const outOfReach = () => new Problem('not_found', { detail: 'the group is out of reach' })

/** As the database gives them back, so that tags in another order are no change. */
const inOrder = (tags: readonly GroupTag[]): GroupTag[] =>
  tags.toSorted((a, b) => compare(a.key, b.key) || compare(a.value, b.value))
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
