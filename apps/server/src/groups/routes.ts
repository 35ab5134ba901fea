import type { AccessCache } from '../access/load.ts'
import { seenGroups } from '../access/visible-groups.ts'
import type { AppContext } from '../app-context.ts'
import type { Handler, Handlers } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { assertWithinReach, validateGroup } from './validate.ts'
import { pageByName } from '../http/page.ts'
import { saveGroup } from './save.ts'
import { countGroups, findGroup, findUsesOfGroup, listGroups, readStoredGroup, removeGroup } from './store.ts'

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
