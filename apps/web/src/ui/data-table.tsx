/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- a table laid out as cards loses its implied roles in some browsers */
import { useLingui } from '@lingui/react/macro'
import { VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './data-table.module.css'

/** A column with cells of its own, or with numbers at the end of it; null is a dash. */
export type DataColumn<Row> = {
  label: string
  /** Column width that aligns consecutive tables, e.g. '30%'. */
  width?: string
} & ({ align?: 'end'; cell: (row: Row) => ReactNode } | { count: (row: Row) => number | null })

interface ShownColumn<Row> {
  label: string
  width?: string
  align?: 'end'
  cell: (row: Row) => ReactNode
  isLabelHidden?: boolean
}

/** A plain table for short lists. On narrow screens rows become cards with headings; explicit roles keep the table semantics. */
export function DataTable<Row>(props: {
  caption: string
  columns: readonly DataColumn<Row>[]
  rows: readonly Row[]
  getKey: (row: Row) => string
  /** A few short columns in a preview or dialog: small, and a table at every width. */
  isCompact?: boolean
  /** Full-width content below a row. */
  details?: (row: Row) => ReactNode
  /** Buttons of a row, in a last column with a visually hidden heading. */
  actions?: ((row: Row) => ReactNode) | undefined
}) {
  const { t, i18n } = useLingui()
  const columns = props.columns.map((column): ShownColumn<Row> => {
    if ('cell' in column) return column
    const { count, ...rest } = column
    const cell = (row: Row) => {
      const number = count(row)
      return number === null ? '–' : i18n.number(number)
    }
    return { ...rest, align: 'end', cell }
  })
  if (props.actions)
    columns.push({ label: t`Actions`, isLabelHidden: true, align: 'end', cell: props.actions })
  const look = props.isCompact ? classes.compact : classes.frame
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard
    <section className={look} tabIndex={0} aria-label={props.caption}>
      <table role="table" className={classes.table} aria-label={props.caption}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column, place) => (
              <th
                key={place}
                role="columnheader"
                scope="col"
                data-align={column.align}
                data-stays={column.isLabelHidden}
                style={{ width: column.width }}
              >
                {column.isLabelHidden ? <VisuallyHidden>{column.label}</VisuallyHidden> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {props.rows.map((row) => (
            <TableRow key={props.getKey(row)} row={row} columns={columns} details={props.details?.(row)} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function TableRow<Row>(props: { row: Row; columns: readonly ShownColumn<Row>[]; details: ReactNode }) {
  const { row, columns, details } = props
  return (
    <>
      <tr role="row">
        {columns.map((column, place) => (
          <td
            key={place}
            role={place === 0 ? 'rowheader' : 'cell'}
            data-label={column.isLabelHidden ? undefined : column.label}
            data-align={column.align}
            data-stays={column.isLabelHidden}
          >
            <div className={classes.value}>{column.cell(row)}</div>
          </td>
        ))}
      </tr>
      {details && (
        <tr role="row" className={classes.details}>
          <td role="cell" colSpan={columns.length}>
            {details}
          </td>
        </tr>
      )}
    </>
  )
}
