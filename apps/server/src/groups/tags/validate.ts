import {
  type AccessImpact,
  type BrokenGroup,
  type Fault,
  fault,
  GROUP_TAG_LIMIT,
  type GroupTag,
  type TagDefinition,
  type TagInput,
} from '@custodia/contract'
import { type AccessGroup, applyDefinition, breaks, checkTagDefinition } from '@custodia/domain'
import { changerOf, mergeImpacts, previewImpact } from '../../access/impact.ts'
import { type Rights, withGroups } from '../../access/rights.ts'
import { previewProspectiveImpact, seenGroups } from '../../access/visible-groups.ts'
import type { PortalContext } from '../../http/context.ts'

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
  const changer = changerOf(context)
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
  return previewProspectiveImpact(rights, changerOf(context), coming)
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
