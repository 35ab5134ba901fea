import type { AccessCache } from '../access/load.ts'
import { seenGroups } from '../access/visible-groups.ts'
import type { AppContext } from '../app-context.ts'
import type { Handler, Handlers } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { assertWithinReach, validateGroup } from './validate.ts'
import { listGroupsWithinReach } from './list.ts'
import { saveGroup } from './save.ts'
import { findGroup, findUsesOfGroup, readStoredGroup, removeGroup } from './store.ts'

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
      const rights = await book.rightsOf(q)
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
      await book.beginChange(tx)
      const group = await findGroup(tx, group_reference)
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
