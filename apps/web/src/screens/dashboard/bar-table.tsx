import { Trans, useLingui } from '@lingui/react/macro'
import { Progress, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import classes from './bar-table.module.css'

interface BarRow {
  label: string
  count: number
  color?: string
  /** List of the counted items; absent without the right. */
  to?: LinkTarget | undefined
}

/** Counts as a table with bars, without a chart library. Plain elements: the library's table would add a tenth to this page. */
export function BarTable(props: {
  caption: string
  heading: string
  total: number
  /** The count of a full bar; absent: the total. */
  full?: number | undefined
  rows: readonly BarRow[]
}) {
  const { i18n } = useLingui()
  return (
    <table className={classes.table}>
      <caption>
        <VisuallyHidden>{props.caption}</VisuallyHidden>
      </caption>
      <thead>
        <tr>
          <th scope="col" colSpan={2}>
            {props.heading}
          </th>
          <th scope="col" className={classes.number}>
            <Trans>Count</Trans>
          </th>
          <th scope="col" className={classes.number}>
            <Trans>Share</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => {
          const share = props.total === 0 ? 0 : row.count / props.total
          return (
            <tr key={row.label}>
              <th scope="row">
                {row.to ? (
                  <Link {...row.to} className={classes.link}>
                    {row.label}
                  </Link>
                ) : (
                  row.label
                )}
              </th>
              <td>
                <Progress
                  value={(row.count / (props.full || props.total || 1)) * 100}
                  color={row.color ?? 'blue'}
                  size={8}
                  radius="xl"
                  aria-hidden
                />
              </td>
              <td className={classes.number} data-strong>
                {i18n.number(row.count)}
              </td>
              <td className={classes.number}>
                {i18n.number(share, { style: 'percent', maximumFractionDigits: props.full ? 1 : 0 })}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
