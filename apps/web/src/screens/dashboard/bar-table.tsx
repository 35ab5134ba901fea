import { Trans, useLingui } from '@lingui/react/macro'
import { Progress, Table, VisuallyHidden } from '@mantine/core'
import classes from './bar-table.module.css'

interface BarRow {
  label: string
  count: number
  color?: string
}

/** Counts as a real table with a bar per row: read by screen readers, drawn without a chart library. */
export function BarTable(props: {
  caption: string
  heading: string
  total: number
  rows: readonly BarRow[]
}) {
  const { i18n } = useLingui()
  return (
    <Table verticalSpacing={7} horizontalSpacing={0} withRowBorders={false}>
      <Table.Caption p={0} m={0}>
        <VisuallyHidden>{props.caption}</VisuallyHidden>
      </Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th className={classes.heading} colSpan={2}>
            {props.heading}
          </Table.Th>
          <Table.Th className={classes.heading} ta="right">
            <Trans>Count</Trans>
          </Table.Th>
          <Table.Th className={classes.heading} ta="right">
            <Trans>Share</Trans>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {props.rows.map((row) => {
          const share = props.total === 0 ? 0 : row.count / props.total
          return (
            <Table.Tr key={row.label}>
              <Table.Th scope="row" fw={500} w="32%">
                {row.label}
              </Table.Th>
              <Table.Td>
                <Progress value={share * 100} color={row.color ?? 'blue'} size={8} radius="xl" aria-hidden />
              </Table.Td>
              <Table.Td w={76} ta="right" fw={650}>
                {i18n.number(row.count)}
              </Table.Td>
              <Table.Td w={72} ta="right" c="dimmed">
                {i18n.number(share, { style: 'percent', maximumFractionDigits: 0 })}
              </Table.Td>
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Table>
  )
}
