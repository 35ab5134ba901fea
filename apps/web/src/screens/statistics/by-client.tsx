import { useLingui } from '@lingui/react/macro'
import { Table } from '@mantine/core'
import { useClientName } from '../../components/clients/use-client-options.ts'
import type { Figure } from './figure.ts'
import { sizeText } from './size-text.ts'

/** Share of each client in a figure, largest first. */
export function ByClient({ figure }: { figure: Pick<Figure, 'name' | 'clients'> }) {
  const { t, i18n } = useLingui()
  const clientName = useClientName()
  const name = figure.name
  return (
    <Table maw={560} ml={28} aria-label={t`${name} by client`} withRowBorders={false}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t`Client`}</Table.Th>
          <Table.Th scope="col" ta="end">{t`Count`}</Table.Th>
          <Table.Th scope="col" ta="end">{t`Size (MB)`}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {figure.clients
          .toSorted((a, b) => b.count - a.count || a.client.localeCompare(b.client))
          .map(({ client, count, size_mb }) => (
            <Table.Tr key={client}>
              <Table.Td title={client}>{clientName(client)}</Table.Td>
              <Table.Td ta="end">{i18n.number(count)}</Table.Td>
              <Table.Td ta="end">{size_mb === null ? '–' : sizeText(size_mb, i18n.locale)}</Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  )
}
