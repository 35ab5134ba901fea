import {
  type AccessImpact,
  type BrokenGroup,
  type Fault,
  GROUP_TAG_LIMIT,
  type GroupTag,
  type TagDefinition,
  type TagInput,
  fault,
} from '@custodia/contract'
import { type AccessGroup, applyDefinition, breaks, checkTagDefinition } from '@custodia/domain'
import { assertPermitted, getChanger, mergeImpacts, previewImpact } from '../../access/impact.ts'
import type { AccessCache } from '../../access/load.ts'
import { type Rights, withGroups } from '../../access/rights.ts'
import { previewProspectiveImpact, seenGroups } from '../../access/visible-groups.ts'
import type { AppContext } from '../../app-context.ts'
import { type Handler, type Handlers, type PortalContext, getActor } from '../../http/context.ts'
import { assertUnchanged } from '../../http/etag.ts'
import { pageByName } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import { replaceTags } from '../store.ts'
import { countTags, findDefinitions, findTag, listTags, removeTag, writeTag } from './store.ts'

/** Broken groups that a problem or a review names. */
const BROKEN_NAMED = 100

/** Creates or replaces a definition; groups that do not fit are mended with `force_update`. */
function saveTag(book: AccessCache): Handler<'saveTag'> {
  return async (context, { params, query, body }) => {
    const saved = await context.write(async (tx) => {
      const rights = await book.beginChange(tx, context)
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
            .map((group) => getFault(group, tag_key)),
          detail: `${broken.length} groups`,
        })
      // Changing tags by way of their definition is changing groups.
      if (out_of_reach > 0)
        throw new Problem('not_permitted', { detail: `groups:update does not reach ${out_of_reach} groups` })
      await assertPermitted(context, tx, impact, {
        what: { text: 'escalated_by_tag', name: tag_key },
        confirm_lockout: query.confirm_lockout,
      })
      const by = { updated_at: context.now, updated_by: getActor(context.caller) }
      await writeTag(tx, definition, by)
      if (mended.length > 0) await replaceTags(tx, mended, by)
      return findTag(tx, tag_key)
    })
    if (!saved) throw new Error('the tag was not stored')
    return saved
  }
}

function getFault({ group_reference, problem, value }: BrokenGroup, tag_key: string): Fault {
  return problem === 'missing'
    ? fault(group_reference, 'tag_missing', { value: tag_key })
    : fault(group_reference, 'tag_value', { value: value ?? '' })
}

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
      rights: await book.getRights(q),
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
      const rights = await book.beginChange(tx, context)
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

export interface ValidatedTag {
  definition: TagDefinition
  problems: Fault[]
  broken: BrokenGroup[]
  /** The broken groups as `force_update` leaves them. */
  mended: AccessGroup[]
  /** How many of them the caller may not change: `force_update` is not permitted then. */
  out_of_reach: number
  /** With `force_update`. */
  impact: AccessImpact
}

/**
 * Previews the definition's effect on existing and future groups; reviews show it and saves are checked against it.
 * @param definitions all definitions in force
 */
export function validateTag(
  context: PortalContext,
  rights: Rights,
  definitions: readonly TagDefinition[],
  tag_key: string,
  input: TagInput,
): ValidatedTag {
  const definition = { tag_key, ...input }
  const problems = checkTagDefinition(definition)
  const { groups } = rights.groupIndex
  // The reserved group has no tags, even required ones.
  const tagged = groups.filter(({ is_reserved }) => !is_reserved)
  const broken = problems.length > 0 ? [] : breaks(definition, tagged)
  const names = new Set(broken.map(({ group_reference }) => group_reference))
  const mended = new Map(
    groups
      .filter(({ group_reference }) => names.has(group_reference))
      .map((group) => [group.group_id, { ...group, tags: applyDefinition(group.tags, definition) }]),
  )
  const full = [...mended.values()].filter(({ tags }) => tags.length > GROUP_TAG_LIMIT)
  problems.push(...faultsOfFull(full, seenGroups(context.caller, rights).sees))
  const { access } = context.caller
  const outOfReach = [...mended.values()].filter((group) => !access.permits('groups:update', group))
  const after = withGroups(
    rights,
    groups.map((group) => mended.get(group.group_id) ?? group),
  )
  const changer = getChanger(context)
  const undo = ['tags:update', 'groups:update']
  const impact = previewImpact(rights, after, changer, { undo })
  const others = definitions.filter((each) => each.tag_key !== tag_key)
  const coming =
    problems.length === 0 ? previewDefaults(context, rights, definitions, [...others, definition]) : undefined
  return {
    definition,
    problems,
    broken,
    mended: [...mended.values()],
    out_of_reach: outOfReach.length,
    impact: coming ? mergeImpacts(impact, coming) : impact,
  }
}

/** What removing a definition would mean: groups that are made without the tag get its default no longer. */
export function validateTagRemoval(
  context: PortalContext,
  rights: Rights,
  definitions: readonly TagDefinition[],
  tag_key: string,
): AccessImpact | undefined {
  const others = definitions.filter((each) => each.tag_key !== tag_key)
  const impact = previewDefaults(context, rights, definitions, others)
  // Future groups take no rights away from any user.
  return impact && { ...impact, locks_out: false }
}

/** Previews the effect of other definitions on future groups; undefined if they get the same tags. */
function previewDefaults(
  context: PortalContext,
  rights: Rights,
  before: readonly TagDefinition[],
  after: readonly TagDefinition[],
): AccessImpact | undefined {
  const coming = { before: givenBy(before), after: givenBy(after) }
  if (JSON.stringify(coming.before) === JSON.stringify(coming.after)) return undefined
  return previewProspectiveImpact(rights, getChanger(context), coming)
}

/** What a group gets that is made without tags: one tag may undo what another does, so all count together. */
const givenBy = (definitions: readonly TagDefinition[]): GroupTag[] =>
  definitions
    .flatMap(({ tag_key, is_required, default_value }) =>
      is_required && default_value !== null ? [{ key: tag_key, value: default_value }] : [],
    )
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))

/** Groups without room for another tag: those that the caller does not see are one fault without a name. */
function faultsOfFull(full: readonly AccessGroup[], sees: (group_reference: string) => boolean): Fault[] {
  const paths = new Set(
    full.map(({ group_reference }) => (sees(group_reference) ? group_reference : 'force_update')),
  )
  return [...paths].map((path) => fault(path, 'too_many', { limit: GROUP_TAG_LIMIT }))
}
