/* oxlint-disable jsx-a11y/prefer-tag-over-role -- rows are positioned one by one, which real table elements do not survive */
import { useLingui } from '@lingui/react/macro'
import { Icon } from '../../ui/icon.tsx'
import type { ListColumn, ListDefinition } from './list-definition.ts'
import classes from './list-grid.module.css'
import type { ChangeSearch, ListSearch } from './list-search.ts'

/** Current order, and the change on a header click. */
export interface ListSort {
  /** Sort key of a column; undefined: it does not sort. */
  keyOf: (column: Pick<ListColumn<never>, 'time' | 'sort'>) => string | undefined
  by: string | undefined
  isAscending: boolean
  change: (column: Pick<ListColumn<never>, 'time' | 'sort'>) => void
}

/** Sticky header with the select-all box. Stacked rows hide it visually only. */
export function ListHeader<Row>(props: {
  columns: readonly ListColumn<Row>[]
  isStacked: boolean
  selected: number
  /** The box selects all rows that match the filters. */
  selectsMatching: boolean
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
                aria-label={
                  selected > 0
                    ? t`Clear the selection`
                    : props.selectsMatching
                      ? t`Select all matching rows`
                      : t`Select the first 100 rows`
                }
              />
            </label>
          )}
        </div>
        {columns.map((column) => {
          const { id, label, align } = column
          const key = isStacked ? undefined : props.sort?.keyOf(column)
          const sort = key === undefined ? undefined : props.sort
          const isSorted = sort !== undefined && sort.by === key
          return (
            <div
              key={id}
              role="columnheader"
              className={classes.cell}
              data-column={!isStacked || undefined}
              data-align={align}
              title={i18n._(label)}
              aria-sort={isSorted ? (sort.isAscending ? 'ascending' : 'descending') : undefined}
            >
              {sort === undefined ? (
                i18n._(label)
              ) : (
                <button type="button" className={classes.sort} onClick={() => sort.change(column)}>
                  {i18n._(label)}
                  {isSorted && <Icon name={sort.isAscending ? 'arrow-up' : 'arrow-down'} size={12} />}
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

const fieldOf = (sort: string): string => sort.replace('-', '')

/**
 * Order of a list: by a field, where the call sorts by fields; else by one of the `dates`, newest first, or oldest first
 * where the call supports it. Undefined for lists with a fixed order.
 */
export function sortOf(
  { dates = [], hasOrder, hasSort }: Pick<ListDefinition<never, never>, 'dates' | 'hasOrder' | 'hasSort'>,
  search: ListSearch,
  change: ChangeSearch,
): ListSort | undefined {
  if (hasSort) {
    const sort = String(search.sort ?? '')
    return {
      keyOf: (column) => column.sort && fieldOf(column.sort),
      by: fieldOf(sort),
      isAscending: !sort.startsWith('-'),
      // The usual direction, the other one, the list's own order.
      change: ({ sort: first = '' }) => {
        const other = first.startsWith('-') ? fieldOf(first) : `-${first}`
        change({ sort: sort === first ? other : sort === other ? undefined : first })
      },
    }
  }
  const usual = dates[0]?.value
  if (usual === undefined || (dates.length < 2 && !hasOrder)) return undefined
  const by = typeof search.date_filter === 'string' ? search.date_filter : usual
  const isAscending = search.order === 'oldest'
  return {
    keyOf: ({ time }) => (dates.some(({ value }) => value === time) ? time : undefined),
    by,
    isAscending,
    change: ({ time }) => {
      const turned = hasOrder && time === by && !isAscending
      change({ date_filter: time === usual ? undefined : time, order: turned ? 'oldest' : undefined })
    },
  }
}
