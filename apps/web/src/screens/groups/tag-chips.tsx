import type { GroupTag } from '@custodia/contract'
import { middleEllipsis } from '../../ui/text.ts'
import { firstTags, KEY_LENGTH } from './first-tags.ts'
import classes from './groups.module.css'

/** Tags as `key value`, all or the first few with a count. */
export function TagChips({ tags, all = false }: { tags: readonly GroupTag[]; all?: boolean }) {
  const shown = all ? tags : firstTags(tags)
  const more = tags.length - shown.length
  return (
    <span
      className={`${classes.chips} ${all ? classes.wrap : ''}`}
      title={tags.map(({ key, value }) => `${key} ${value}`).join(', ')}
    >
      {shown.map(({ key, value }) => (
        <span key={`${key} ${value}`} className={classes.chip} title={`${key} ${value}`}>
          <span className={classes.key}>{all ? key : middleEllipsis(key, KEY_LENGTH)}</span>{' '}
          <span className={classes.value}>{value}</span>
        </span>
      ))}
      {more > 0 && <span className={classes.more}>+{more}</span>}
    </span>
  )
}
