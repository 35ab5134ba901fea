import { assertPermitted } from '../access/impact.ts'
import type { AccessCache } from '../access/load.ts'
import { actorOf, type Handler } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { validateGroup } from './validate.ts'
import { findGroup, insertGroup, readStoredGroup, replaceTags } from './store.ts'

/** Creates or replaces a group. */
export function saveGroup(book: AccessCache): Handler<'saveGroup'> {
  return async (context, { params, query, body }) => {
    const { group_reference } = params
    const saved = await context.write(async (tx) => {
      const rights = await book.beginChange(tx)
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
      const by = { updated_at: context.now, updated_by: actorOf(context.caller) }
      const group_id = known?.group_id ?? (await insertGroup(tx, group_reference, by))
      if (group_id === undefined) throw new Error('the group was not stored')
      await replaceTags(tx, [{ group_id, tags }], by)
      return readStoredGroup(tx, group_reference, context.now)
    })
    if (!saved) throw new Error('the group was not stored')
    return saved
  }
}
