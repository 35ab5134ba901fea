import type { GroupTag, StoredGroup } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { middleEllipsis } from '../../ui/middle-ellipsis.ts'
import { firstTags, KEY_LENGTH } from './first-tags.ts'
import classes from './group-cells.module.css'

type Row = { row: StoredGroup }
/** Tags as `key value`, all of them or the first few and how many more. */
export function TagChips({ tags, all = false }: { tags: readonly GroupTag[]; all?: boolean }) {
  const shown = all ? tags : firstTags(tags)
  const more = tags.length - shown.length
  return (
    <span
      className={`${classes.tags} ${all ? classes.wrap : ''}`}
      title={tags.map(({ key, value }) => `${key} ${value}`).join(', ')}
    >
      {shown.map(({ key, value }) => (
        <span key={`${key} ${value}`} className={classes.tag} title={`${key} ${value}`}>
          <span className={classes.key}>{all ? key : middleEllipsis(key, KEY_LENGTH)}</span>{' '}
          <span className={classes.value}>{value}</span>
        </span>
      ))}
      {more > 0 && <span className={classes.more}>+{more}</span>}
    </span>
  )
}

export const TagsCell = ({ row }: Row) => <TagChips tags={row.tags} />

/** 'actual / expected'. */
export function DevicesCell({ row: { stats } }: Row) {
  const { i18n, t } = useLingui()
  const actual = i18n.number(stats.actual_devices)
  const expected = i18n.number(stats.expected_devices)
  return (
    <span title={t`${actual} of ${expected} expected`}>
      <span data-narrow-only>{t`Devices`} </span>
      {`${actual} / ${expected}`}
    </span>
  )
}

/** Licences in use, over all services. */
export const licencesOf = ({ stats }: StoredGroup): number =>
  Object.values(stats.services).reduce((sum, { used_licenses }) => sum + used_licenses, 0)
