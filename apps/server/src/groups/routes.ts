import type { AccessBook } from '../access/load.ts'
import { seenGroups } from '../access/seen-groups.ts'
import type { House } from '../house.ts'
import type { Handler, Handlers } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { assertWithinReach, judgeGroup } from './judge.ts'
import { listGroupsWithinReach } from './list.ts'
import { saveGroup } from './save.ts'
import { findGroup, findUsesOfGroup, readStoredGroup, removeGroup } from './store.ts'

/** Handlers of groups. */
export const groupRoutes = (
  house: Pick<House, 'cursors'>,
  book: AccessBook,
): Handlers<'listGroups' | 'readGroup' | 'saveGroup' | 'reviewGroup' | 'deleteGroup'> => ({
  listGroups: listGroupsWithinReach(house),
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
  (book: AccessBook): Handler<'reviewGroup'> =>
  (context, { params, body }) =>
    context.read(async (q) => {
      const rights = await book.rightsOf(q)
      const { problems, impact } = await judgeGroup(
        context,
        q,
        rights,
        'groups:review',
        params.group_reference,
        body.tags,
      )
      return { problems, warnings: [], impact: seenGroups(context.caller, rights).narrowToSeen(impact) }
    })

/** Removes a group to which nothing belongs. */
const deleteGroup =
  (book: AccessBook): Handler<'deleteGroup'> =>
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
