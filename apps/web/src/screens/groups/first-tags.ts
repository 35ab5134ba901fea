import type { GroupTag } from '@custodia/contract'

/** Maximum characters of a key in a cell. */
export const KEY_LENGTH = 12
/** Characters of a cell over all tags. */
const ROOM = 40
const MAX_TAGS = 4

/** Tags shown in a cell, at least one; others are counted. Values get more room than keys. */
export function firstTags(tags: readonly GroupTag[]): readonly GroupTag[] {
  let taken = 0
  const end = tags.findIndex(({ key, value }) => {
    taken += Math.min(key.length, KEY_LENGTH) + 1 + value.length
    return taken > ROOM
  })
  return tags.slice(0, Math.min(MAX_TAGS, end === -1 ? tags.length : Math.max(1, end)))
}
