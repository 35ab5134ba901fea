import type { GroupTag } from '@custodia/contract'

/** Characters of a key that a cell shows. */
export const KEY_LENGTH = 12
/** Characters that a cell has room for, over all its tags. */
const ROOM = 40
const MOST_TAGS = 4

/** The tags that one cell shows, the first in any case; the rest is counted. Values are worth more room than keys. */
export function firstTags(tags: readonly GroupTag[]): readonly GroupTag[] {
  let taken = 0
  const end = tags.findIndex(({ key, value }) => {
    taken += Math.min(key.length, KEY_LENGTH) + 1 + value.length
    return taken > ROOM
  })
  return tags.slice(0, Math.min(MOST_TAGS, end === -1 ? tags.length : Math.max(1, end)))
}
