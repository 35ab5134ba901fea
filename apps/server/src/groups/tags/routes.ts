import { fault } from '@custodia/contract'
import { assertPermitted } from '../../access/assert-permitted.ts'
import type { AccessCache } from '../../access/load.ts'
import { seenGroups } from '../../access/visible-groups.ts'
import type { AppContext } from '../../app-context.ts'
import type { Handler, Handlers } from '../../http/context.ts'
import { assertUnchanged } from '../../http/etag.ts'
import { pageByName } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import { validateTag, validateTagRemoval } from './validate.ts'
import { BROKEN_NAMED, saveTag } from './save.ts'
import { countTags, findDefinitions, findTag, listTags, removeTag } from './store.ts'

/** Handlers of tag definitions. */
export const tagRoutes = (
  ctx: Pick<AppContext, 'cursors'>,
  book: AccessCache,
): Handlers<'listTags' | 'readTag' | 'saveTag' | 'reviewTag' | 'deleteTag'> => ({
  listTags: list(ctx),
  readTag,
  saveTag: saveTag(book),
  reviewTag: reviewTag(book),
  deleteTag: deleteTag(book),
})

function list(ctx: Pick<AppContext, 'cursors'>): Handler<'listTags'> {
  return async (context, { query }) => {
    const { client_id } = context.caller
    const { search = '' } = query
    return context.read(async (q) => {
      if (query.type === 'total') return { total: await countTags(q, search) }
      return pageByName(
        ctx.cursors,
        { name: 'tags', client_id, query },
        (after, limit) => listTags(q, { search, after, limit }),
        ({ tag_key }) => tag_key,
      )
    })
  }
}

const readTag: Handler<'readTag'> = async (context, { params: { tag_key } }) => {
  const tag = await context.read((q) => findTag(q, tag_key))
  if (!tag) throw noTag()
  return tag
}

/** Which groups a definition would break and which roles would reach others. */
const reviewTag =
  (book: AccessCache): Handler<'reviewTag'> =>
  async (context, { params, body }) => {
    const { rights, definitions } = await context.read(async (q) => ({
      rights: await book.rightsOf(q),
      definitions: await findDefinitions(q),
    }))
    const { problems, broken, out_of_reach, impact } = validateTag(
      context,
      rights,
      definitions,
      params.tag_key,
      body,
    )
    const { sees, narrowToSeen } = seenGroups(context.caller, rights)
    return {
      problems: problems.slice(0, BROKEN_NAMED),
      warnings: out_of_reach > 0 ? [fault('force_update', 'may_not_mend', { count: out_of_reach })] : [],
      broken_groups: broken.filter((group) => sees(group.group_reference)).slice(0, BROKEN_NAMED),
      broken_count: new Set(broken.map(({ group_reference }) => group_reference)).size,
      impact: narrowToSeen(impact),
    }
  }

/** Removes a definition; groups keep their tags. */
const deleteTag =
  (book: AccessCache): Handler<'deleteTag'> =>
  async (context, { params }) => {
    const { tag_key } = params
    await context.write(async (tx) => {
      const rights = await book.beginChange(tx)
      const tag = await findTag(tx, tag_key)
      if (!tag) throw noTag()
      assertUnchanged(context, tag.version)
      const impact = validateTagRemoval(context, rights, await findDefinitions(tx), tag_key)
      if (impact)
        await assertPermitted(context, tx, impact, {
          what: { text: 'escalated_by_tag_deletion', name: tag_key },
          confirm_lockout: undefined,
        })
      await removeTag(tx, tag_key)
    })
    return {}
  }

const noTag = () => new Problem('not_found', { detail: 'no such tag' })
