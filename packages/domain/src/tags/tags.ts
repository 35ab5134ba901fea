/**
 * Tag definitions and the tags of groups (spec section 5). A definition lists the values of its key: null means any,
 * empty none; a required tag is on every group. A tag without a definition is unrestricted.
 */
import { fault, GROUP_TAG_LIMIT } from '@custodia/contract'
import type { BrokenGroup, Fault, GroupTag, TagDefinition } from '@custodia/contract'

type Group = { group_reference: string; tags: readonly GroupTag[] }

/** What is wrong with a definition about to be saved, by field. */
export function checkTagDefinition({
  tag_values,
  is_required,
  default_value,
}: Pick<TagDefinition, 'tag_values' | 'is_required' | 'default_value'>): Fault[] {
  const faults: Fault[] = []
  if (is_required && tag_values?.length === 0) faults.push(fault('tag_values', 'values_empty'))
  if (is_required && default_value === null) faults.push(fault('default_value', 'requires_default'))
  if (default_value !== null && tag_values && !tag_values.includes(default_value)) {
    faults.push(fault('default_value', 'default_not_in_values'))
  }
  return faults
}

/** What is wrong with the tags of a group about to be saved. Call `completeTags` first. */
export function checkGroupTags(tags: readonly GroupTag[], definitions: readonly TagDefinition[]): Fault[] {
  const byKey = new Map(definitions.map((definition) => [definition.tag_key, definition]))
  const faults = tags.flatMap(({ key, value }, i) => {
    const definition = byKey.get(key)
    return [
      ...(has(tags.slice(0, i), key) ? [fault(`tags.${i}.key`, 'tag_repeated')] : []),
      ...(definition && !takes(definition, value) ? [fault(`tags.${i}.value`, 'tag_value', { value })] : []),
    ]
  })
  if (tags.length > GROUP_TAG_LIMIT) faults.push(fault('tags', 'too_many', { limit: GROUP_TAG_LIMIT }))
  for (const { tag_key, is_required } of definitions) {
    if (is_required && !has(tags, tag_key)) faults.push(fault('tags', 'tag_missing', { value: tag_key }))
  }
  return faults
}

/** Adds the default of every required tag that is missing. */
export function completeTags(tags: readonly GroupTag[], definitions: readonly TagDefinition[]): GroupTag[] {
  return definitions.reduce<GroupTag[]>((sum, definition) => withRequired(sum, definition), [...tags])
}

/**
 * The groups that a new or changed definition breaks, one row per offending value, and what `applyDefinition` makes
 * of each; `becomes` null: the tag is removed.
 */
export function breaks(definition: TagDefinition, groups: readonly Group[]): BrokenGroup[] {
  const { tag_key, is_required, default_value } = definition
  return groups.flatMap(({ group_reference, tags }): BrokenGroup[] => {
    if (is_required && !has(tags, tag_key)) {
      return [{ group_reference, problem: 'missing', value: null, becomes: default_value }]
    }
    return tags
      .filter(({ key, value }) => key === tag_key && !takes(definition, value))
      .map(({ value }) => ({ group_reference, problem: 'value', value, becomes: default_value }))
  })
}

/**
 * The tags of a group once a definition was forced upon them: bad values become the default or go, a missing
 * required tag gets the default. Other keys stay as they are. Tags that already fit come back unchanged.
 */
export function applyDefinition(tags: readonly GroupTag[], definition: TagDefinition): GroupTag[] {
  const { tag_key, default_value } = definition
  const mended = tags.flatMap((tag): GroupTag[] => {
    if (tag.key !== tag_key || takes(definition, tag.value)) return [tag]
    return default_value === null ? [] : [{ key: tag_key, value: default_value }]
  })
  return withRequired(mended, definition)
}

function withRequired(tags: GroupTag[], { tag_key, is_required, default_value }: TagDefinition): GroupTag[] {
  if (!is_required || default_value === null || has(tags, tag_key)) return tags
  return [...tags, { key: tag_key, value: default_value }]
}

function takes({ tag_values }: TagDefinition, value: string): boolean {
  return tag_values === null || tag_values.includes(value)
}

function has(tags: readonly GroupTag[], tag_key: string): boolean {
  return tags.some(({ key }) => key === tag_key)
}
