/* oxlint-disable jsx-a11y/prefer-tag-over-role -- rows are positioned one by one, which real table elements do not survive */
import { useLingui } from '@lingui/react/macro'
import { memo, type ReactNode } from 'react'
import { Icon } from '../../ui/icon.tsx'
import type { ListColumn } from './list-definition.ts'
import classes from './list-grid.module.css'

interface RowProps<Row> {
  row: Row
  rowKey: string
  index: number
  /** Pixels from the top of the body. */
  start: number
  height: number
  columns: readonly ListColumn<Row>[]
  isStacked: boolean
  isCurrent: boolean
  isSelected: boolean
  isOpen: boolean
  hasPreview: boolean
  /** The button plays the row instead of opening its preview. */
  canHear: boolean
  /** Address of the detail page, for opening in another tab. */
  href: string | undefined
}

/** One row. The grid handles its events, which keeps scrolling cheap. */
function ListRowView<Row>(props: RowProps<Row>) {
  const { t } = useLingui()
  const { row, index, columns, isStacked, href } = props
  const number = index + 1
  return (
    <div
      role="row"
      className={classes.row}
      aria-rowindex={index + 2}
      aria-selected={props.isSelected}
      tabIndex={props.isCurrent ? 0 : -1}
      data-index={index}
      data-key={props.rowKey}
      data-current={props.isCurrent || undefined}
      data-open={props.isOpen || undefined}
      style={{ height: props.height, transform: `translateY(${props.start}px)` }}
    >
      <div role="presentation" className={isStacked ? classes.stack : classes.columns}>
        <div role="gridcell" className={classes.select}>
          <label className={classes.pick} data-pick>
            <input
              type="checkbox"
              tabIndex={-1}
              checked={props.isSelected}
              readOnly
              aria-label={t`Select row ${number}`}
            />
          </label>
        </div>
        {isStacked ? (
          <StackedCells row={row} columns={columns} href={href} />
        ) : (
          <CellsInColumns row={row} columns={columns} href={href} />
        )}
        {props.hasPreview && (
          <div role="gridcell" className={classes.select}>
            <button
              type="button"
              tabIndex={-1}
              className={classes.peek}
              data-peek
              data-hear={props.canHear || undefined}
              aria-label={props.canHear ? t`Play row ${number}` : t`Preview row ${number}`}
            >
              <Icon name={props.canHear ? 'play' : 'eye'} size={16} />
            </button>
          </div>
        )}
      </div>
    </div>
  )
}
export const ListRow = memo(ListRowView) as typeof ListRowView

type CellsProps<Row> = Pick<RowProps<Row>, 'row' | 'columns' | 'href'>

/** The title links to the row's page; plain text without a page. */
const RowLink = ({ href, children }: { href: string | undefined; children: ReactNode }) =>
  href === undefined ? (
    children
  ) : (
    <a className={classes.link} href={href} tabIndex={-1}>
      {children}
    </a>
  )

const CellsInColumns = <Row,>({ row, columns, href }: CellsProps<Row>) =>
  columns.map(({ id, align, Cell }, position) => (
    <div key={id} role="gridcell" className={classes.cell} data-align={align}>
      {position === 0 ? (
        <RowLink href={href}>
          <Cell row={row} />
        </RowLink>
      ) : (
        <Cell row={row} />
      )}
    </div>
  ))

/** Two lines: title and time, then details. */
function StackedCells<Row>({ row, columns, href }: CellsProps<Row>) {
  const at = (place: 'lead' | 'end' | 'line') => columns.filter(({ stacked }) => stacked === place)
  return (
    <div role="presentation" className={classes.lines}>
      <div role="presentation" className={classes.line} data-first>
        {at('lead').map(({ id, Cell }) => (
          <div key={id} role="gridcell" className={classes.cell}>
            <RowLink href={href}>
              <Cell row={row} />
            </RowLink>
          </div>
        ))}
        {at('end').map(({ id, Cell }) => (
          <div key={id} role="gridcell" className={classes.cell} data-end>
            <Cell row={row} />
          </div>
        ))}
      </div>
      <div role="presentation" className={classes.line}>
        {at('line').map(({ id, Cell, grow }) => (
          <div key={id} role="gridcell" className={classes.cell} data-keep={grow === undefined || undefined}>
            <Cell row={row} />
          </div>
        ))}
      </div>
    </div>
  )
}
