/* oxlint-disable jsx-a11y/prefer-tag-over-role -- rows are positioned one by one, which real table elements do not survive */
import { useLingui } from '@lingui/react/macro'
import { Icon } from '../../ui/icon.tsx'
import type { ListColumn, ListDefinition } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'
import classes from './list-grid.module.css'

type SortedColumn = Pick<ListColumn<never>, 'id' | 'align' | 'csv' | 'time' | 'sort'>

/** Current order, and the change on a header click. */
export interface ListSort {
  /** Sort key of a column; empty: it does not sort. */
  getKey: (column: SortedColumn) => string
  by: string
  isAscending: boolean
  change: (column: SortedColumn) => void
}

/** Sticky header with the select-all box. Stacked rows hide it visually only. */
export function ListHeader<Row>(props: {
  columns: readonly ListColumn<Row>[]
  isStacked: boolean
  selected: number
  /** Every row of the list is selected. */
  isWhole: boolean
  /** The box selects all rows that match the filters. */
  selectsMatching: boolean
  hasPreview: boolean
  onToggleAll: () => void
  sort: ListSort
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
                  if (box !== null) box.indeterminate = selected > 0 && !props.isWhole
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
          const key = isStacked ? '' : props.sort.getKey(column)
          const sort = key === '' ? undefined : props.sort
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
                <button
                  type="button"
                  className={classes.sort}
                  data-sort={id}
                  onClick={() => sort.change(column)}
                >
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

const getField = (sort: string): string => sort.replace('-', '')

/** Sort of a column in the browser; the first click on a time or number sorts descending. */
const ownSort = ({ id, align, csv }: SortedColumn): string | undefined =>
  csv?.[0] && (align === 'end' || csv[0].unit === 'UTC' ? `-${id}` : id)

/**
 * Order of a list: by a field, or by one of the `dates`, newest first, or oldest first, where the call supports it. The
 * browser sorts by the other columns where it can read all rows.
 */
export function getSort(
  { dates = [], hasOrder, hasSort }: Pick<ListDefinition<never, never>, 'dates' | 'hasOrder' | 'hasSort'>,
  search: ListSearch,
  change: ChangeSearch,
  isReadWhole: boolean,
): ListSort {
  const usual = dates[0]?.value
  const times = dates.length > 1 || hasOrder ? dates.map(({ value }) => value) : []
  const getTime = ({ time }: SortedColumn) => (time !== undefined && times.includes(time) ? time : undefined)
  const sortBy = (column: SortedColumn) => (hasSort ? column.sort : isReadWhole ? ownSort(column) : undefined)
  const sort = hasSort || isReadWhole ? String(search.sort ?? '') : ''
  const isTimed = sort === '' && times.length > 0
  const by = isTimed ? String(search.date_filter ?? usual) : getField(sort)
  const isAscending = isTimed ? search.order === 'oldest' : !sort.startsWith('-')
  return {
    getKey: (column) => getTime(column) ?? getField(sortBy(column) ?? ''),
    by,
    isAscending,
    change: (column) => {
      const time = getTime(column)
      if (time !== undefined) {
        const turned = hasOrder && time === by && !isAscending
        return change({
          date_filter: time === usual ? undefined : time,
          order: turned ? 'oldest' : undefined,
          sort: undefined,
        })
      }
      // The usual direction, the other one, the list's own order.
      const first = sortBy(column) ?? ''
      const other = first.startsWith('-') ? getField(first) : `-${first}`
      change({ sort: sort === first ? other : sort === other ? undefined : first })
    },
  }
}
