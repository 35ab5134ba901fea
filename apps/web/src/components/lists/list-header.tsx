/* oxlint-disable jsx-a11y/prefer-tag-over-role -- rows are positioned one by one, which real table elements do not survive */
import { useLingui } from '@lingui/react/macro'
import { Icon } from '../../ui/icon.tsx'
import type { ListColumn, ListDefinition } from './list-definition.ts'
import classes from './list-grid.module.css'
import type { ChangeSearch, ListSearch } from './list-search.ts'

/** Current sort time, and the change on a header click. */
export interface ListSort {
  /** Sortable times: each has an index. */
  times: readonly string[]
  by: string | undefined
  isOldestFirst: boolean
  change: (time: string) => void
}

/** Sticky header with the select-all box. Stacked rows hide it visually only. */
export function ListHeader<Row>(props: {
  columns: readonly ListColumn<Row>[]
  isStacked: boolean
  selected: number
  hasPreview: boolean
  onToggleAll: () => void
  sort: ListSort | undefined
}) {
  const { t, i18n } = useLingui()
  const { isStacked, selected } = props
  const columns = isStacked ? props.columns.filter(({ stacked }) => stacked !== undefined) : props.columns
  return (
    <div role="rowgroup" className={isStacked ? classes.hidden : classes.header}>
      <div role="row" aria-rowindex={1} className={classes.columns}>
        <div role="columnheader" className={classes.select}>
          {isStacked ? (
            t`Selection`
          ) : (
            <label className={classes.pick}>
              <input
                type="checkbox"
                checked={selected > 0}
                ref={(box) => {
                  if (box !== null) box.indeterminate = selected > 0
                }}
                onChange={props.onToggleAll}
                aria-label={selected > 0 ? t`Clear the selection` : t`Select the first 100 rows`}
              />
            </label>
          )}
        </div>
        {columns.map(({ id, label, align, time }) => {
          const sort =
            time !== undefined && !isStacked && props.sort?.times.includes(time) ? props.sort : undefined
          const isSorted = sort !== undefined && sort.by === time
          return (
            <div
              key={id}
              role="columnheader"
              className={classes.cell}
              data-column={!isStacked || undefined}
              data-align={align}
              title={i18n._(label)}
              aria-sort={isSorted ? (sort.isOldestFirst ? 'ascending' : 'descending') : undefined}
            >
              {sort === undefined || time === undefined ? (
                i18n._(label)
              ) : (
                <button type="button" className={classes.sort} onClick={() => sort.change(time)}>
                  {i18n._(label)}
                  {isSorted && <Icon name={sort.isOldestFirst ? 'arrow-up' : 'arrow-down'} size={12} />}
                </button>
              )}
            </div>
          )
        })}
        {props.hasPreview && (
          <div role="columnheader">
            <span className={classes.hidden}>{t`Preview`}</span>
          </div>
        )}
      </div>
    </div>
  )
}

/** Sort order: one of the `dates`, newest first, or oldest first where the call supports it. Undefined for lists with a fixed order. */
export function sortOf(
  { dates = [], hasOrder }: Pick<ListDefinition<never, never>, 'dates' | 'hasOrder'>,
  search: ListSearch,
  change: ChangeSearch,
): ListSort | undefined {
  const usual = dates[0]?.value
  if (usual === undefined || (dates.length < 2 && !hasOrder)) return undefined
  const by = typeof search.date_filter === 'string' ? search.date_filter : usual
  const isOldestFirst = search.order === 'oldest'
  return {
    times: dates.map(({ value }) => value),
    by,
    isOldestFirst,
    change: (time) => {
      const turned = hasOrder && time === by && !isOldestFirst
      change({ date_filter: time === usual ? undefined : time, order: turned ? 'oldest' : undefined })
    },
  }
}
