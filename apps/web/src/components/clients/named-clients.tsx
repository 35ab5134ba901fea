import { Text } from '@mantine/core'

/** What tells one client from another, for people and in addresses. */
interface NamedClient {
  client: string
  client_name: string
}

/** Clients whose name or short name has what is sought. */
export function findClients<Row extends NamedClient>(rows: readonly Row[], sought: string): readonly Row[] {
  const text = sought.toLowerCase()
  return rows.filter(({ client, client_name }) => `${client}\n${client_name}`.toLowerCase().includes(text))
}

/** A client in a table: its name, and below it the short one. */
export const ClientName = ({ client, client_name }: NamedClient) => (
  <>
    <strong>{client_name}</strong>
    <Text size="sm" c="dimmed" ff="monospace">
      {client}
    </Text>
  </>
)
