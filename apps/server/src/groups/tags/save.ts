import { fault, type BrokenGroup, type Fault } from '@custodia/contract'
import { assertPermitted } from '../../access/assert-permitted.ts'
import type { AccessCache } from '../../access/load.ts'
import { replaceTags } from '../store.ts'
import { seenGroups } from '../../access/visible-groups.ts'
import { actorOf, type Handler } from '../../http/context.ts'
import { assertUnchanged } from '../../http/etag.ts'
import { Problem } from '../../http/problem.ts'
import { validateTag } from './validate.ts'
import { findDefinitions, findTag, writeTag } from './store.ts'

/** Broken groups that a problem or a review names. */
export const BROKEN_NAMED = 100

/** Creates or replaces a definition; groups that do not fit are mended with `force_update`. */
export function saveTag(book: AccessCache): Handler<'saveTag'> {
  return async (context, { params, query, body }) => {
    const saved = await context.write(async (tx) => {
      const rights = await book.beginChange(tx)
      const present = await findTag(tx, params.tag_key)
      const definitions = await findDefinitions(tx)
      const validated = validateTag(context, rights, definitions, params.tag_key, body)
      const { definition, problems, broken, mended, out_of_reach, impact } = validated
      const { tag_key } = definition
      assertUnchanged(context, present?.version)
      if (problems.length > 0) throw new Problem('invalid_input', { faults: problems.slice(0, BROKEN_NAMED) })
      const { sees } = seenGroups(context.caller, rights)
      if (broken.length > 0 && !query.force_update)
        throw new Problem('breaks_groups', {
          faults: broken
            .filter((group) => sees(group.group_reference))
            .slice(0, BROKEN_NAMED)
            .map((group) => faultOf(group, tag_key)),
          detail: `${broken.length} groups`,
        })
      // Changing tags by way of their definition is changing groups.
      if (out_of_reach > 0)
        throw new Problem('not_permitted', { detail: `groups:update does not reach ${out_of_reach} groups` })
      await assertPermitted(context, tx, impact, {
        what: { text: 'escalated_by_tag', name: tag_key },
        confirm_lockout: query.confirm_lockout,
      })
      const by = { updated_at: context.now, updated_by: actorOf(context.caller) }
      await writeTag(tx, definition, by)
      if (mended.length > 0) await replaceTags(tx, mended, by)
      return findTag(tx, tag_key)
    })
    if (!saved) throw new Error('the tag was not stored')
    return saved
  }
}

function faultOf({ group_reference, problem, value }: BrokenGroup, tag_key: string): Fault {
  return problem === 'missing'
    ? fault(group_reference, 'tag_missing', { value: tag_key })
    : fault(group_reference, 'tag_value', { value: value ?? '' })
}
