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
import { changerOf } from '../access/assert-permitted.ts'
import { judgeComing } from '../access/coming-groups.ts'
import { judgeChange, mergeImpacts } from '../access/judge.ts'
import { type Rights, withGroups } from '../access/rights.ts'
import { seenGroups } from '../access/seen-groups.ts'
import type { PortalContext } from '../http/context.ts'

export interface JudgedTag {
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
 * What saving the definition would mean, for the groups that are there and for those still to be made; the review tells it and the
 * save is held against it.
 * @param present the definition that is replaced, if there is one
 */
export function judgeTag(
  context: PortalContext,
  rights: Rights,
  present: TagDefinition | undefined,
  tag_key: string,
  input: TagInput,
): JudgedTag {
  const definition = { tag_key, ...input }
  const problems = checkTagDefinition(definition)
  const { groups } = rights.universe
  const broken = problems.length > 0 ? [] : breaks(definition, groups)
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
  const impact = judgeChange(rights, after, changer, { undo })
  const coming = { before: givenBy(present), after: givenBy(definition) }
  const isMoved = problems.length === 0 && coming.before[0]?.value !== coming.after[0]?.value
  return {
    definition,
    problems,
    broken,
    mended: [...mended.values()],
    out_of_reach: outOfReach.length,
    impact: isMoved ? mergeImpacts(impact, judgeComing(rights, changer, coming)) : impact,
  }
}

/** What a group gets that is made without the tag. */
const givenBy = (definition: TagDefinition | undefined): GroupTag[] =>
  definition?.is_required && definition.default_value !== null
    ? [{ key: definition.tag_key, value: definition.default_value }]
    : []

/** Groups without room for another tag: those that the caller does not see are one fault without a name. */
function faultsOfFull(full: readonly AccessGroup[], sees: (group_reference: string) => boolean): Fault[] {
  const paths = new Set(
    full.map(({ group_reference }) => (sees(group_reference) ? group_reference : 'force_update')),
  )
  return [...paths].map((path) => fault(path, 'too_many', { limit: GROUP_TAG_LIMIT }))
}
