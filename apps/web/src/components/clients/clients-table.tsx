import { useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { type ComponentProps, type ReactNode, Suspense } from 'react'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { SearchableList } from '../../ui/searchable-list.tsx'

/** Identity of a client, for people and in addresses. */
interface NamedClient {
  client: string
  client_name: string
}

/** Address parameters of a table of clients. */
interface ClientsSearch {
  search?: string | undefined
  /** Client whose drawer is open. */
  edit?: string | undefined
}

/** All clients of the installation, searchable by name, with a drawer. */
export function ClientsTable<Row extends NamedClient>(props: {
  query: ComponentProps<typeof SearchableList<Row>>['query']
  /** Skeleton rows. */
  lines?: number
  caption: string
  /** Content after the client's name. */
  columns: readonly DataColumn<Row>[]
  actions?: ((row: Row) => ReactNode) | undefined
  empty: ComponentProps<typeof SearchableList>['empty']
  search: ClientsSearch
  /** Next to the search field. */
  extra?: ReactNode
  change: (changes: ClientsSearch) => void
  /** Drawer of the client in the address; absent for users who may not edit. */
  drawer?: ((row: Row, onClose: () => void) => ReactNode) | undefined
}) {
  const { t } = useLingui()
  const { query, search, change, drawer } = props
  const edited = query.data?.find(({ client }) => client === search.edit)
  return (
    <>
      <SearchableList
        query={query}
        lines={props.lines}
        label={t`Search clients`}
        placeholder={t`Name or short name`}
        search={search.search ?? ''}
        onSearch={(searchText) => change({ search: searchText || undefined })}
        find={findClients}
        empty={props.empty}
        noMatch={t`No clients match`}
        extra={props.extra}
      >
        {(found) => (
          <DataTable
            caption={props.caption}
            columns={[{ label: t`Client`, cell: ClientName }, ...props.columns]}
            rows={found}
            getKey={({ client }) => client}
            actions={props.actions}
          />
        )}
      </SearchableList>
      <Suspense>{edited && drawer?.(edited, () => change({ edit: undefined }))}</Suspense>
    </>
  )
}

/** Clients whose name or short name contains the search text. */
function findClients<Row extends NamedClient>(rows: readonly Row[], search: string): readonly Row[] {
  const text = search.toLowerCase()
  return rows.filter(({ client, client_name }) => `${client}\n${client_name}`.toLowerCase().includes(text))
}

/** Client cell: name, and the short name below. */
const ClientName = ({ client, client_name }: NamedClient) => (
  <>
    <strong>{client_name}</strong>
    <Text size="sm" c="dimmed" ff="monospace">
      {client}
    </Text>
  </>
)
