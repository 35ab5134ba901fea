import type { ClientAccount } from '@custodia/contract'
import type { Database } from '../ports/database/pool.ts'
import type { Tx } from '../ports/database/lease.ts'

/** Every client of the installation, for work that goes from one to the next. */
export async function listClients(db: Database): Promise<{ client_id: number; client: string }[]> {
  const { rows } = await db.global((q) =>
    q.query<{ client_id: number; client: string }>(
      'select client_id, client from clients order by client_id',
    ),
  )
  return rows
}

/** A client as the provider's calls name it. */
export interface NamedClient {
  client_id: number
  client: string
  client_name: string
  is_provider: boolean
  oidc_issuer: string | null
}

/** The client of that reference, or undefined. */
export async function findNamedClient(db: Database, client: string): Promise<NamedClient | undefined> {
  const { rows } = await db.global((q) =>
    q.query<NamedClient>(
      'select client_id, client, client_name, is_provider, oidc_issuer from clients where client = $1',
      [client],
      'client_by_reference',
    ),
  )
  return rows[0]
}

/** Which clients a list of the provider shows. */
export interface ClientFilter {
  /** Part of the reference or the name, in any case; empty: all. */
  search: string
  /** The provider's own among them? */
  with_provider: boolean
}

const FILTER = `($1 = '' or position(lower($1) in lower(client)) > 0 or position(lower($1) in lower(client_name)) > 0)
  and ($2 or not is_provider)`
const valuesOf = ({ search, with_provider }: ClientFilter) => [search, with_provider]

/** How many clients pass the filter. */
export async function countClients(db: Database, filter: ClientFilter): Promise<number> {
  const { rows } = await db.global((q) =>
    q.query<{ total: number }>(
      `select count(*)::int as total from clients where ${FILTER}`,
      valuesOf(filter),
    ),
  )
  return rows[0]?.total ?? 0
}

/** Clients after a reference, in order of their references. */
export async function pageOfClients(
  db: Database,
  filter: ClientFilter,
  after: string,
  limit: number,
): Promise<NamedClient[]> {
  const { rows } = await db.global((q) =>
    q.query<NamedClient>(
      `select client_id, client, client_name, is_provider, oidc_issuer from clients
       where ${FILTER} and client > $3 order by client limit $4`,
      [...valuesOf(filter), after, limit],
    ),
  )
  return rows
}

const ACCOUNTS = (condition: string) => `
  with page as (
    select client_id, client, client_name, is_provider, created_at, oidc_issuer, oidc_client_id
    from clients where ${condition}
  )
  select client, client_name, is_provider, created_at, oidc_issuer, oidc_client_id,
    (select count(*)::int from devices d where d.client_id = page.client_id) as devices,
    (select count(*)::int from device_users u where u.client_id = page.client_id) as device_users
  from page order by client`

/** Accounts after a reference, with the size of their fleets. */
export async function pageOfAccounts(
  db: Database,
  filter: ClientFilter,
  after: string,
  limit: number,
): Promise<ClientAccount[]> {
  const { rows } = await db.acrossClients((q) =>
    q.query<ClientAccount>(ACCOUNTS(`${FILTER} and client > $3 order by client limit $4`), [
      ...valuesOf(filter),
      after,
      limit,
    ]),
  )
  return rows
}

/** One account, or undefined. */
export async function readAccount(db: Database, client_id: number): Promise<ClientAccount | undefined> {
  const { rows } = await db.acrossClients((q) =>
    q.query<ClientAccount>(ACCOUNTS('client_id = $1'), [client_id]),
  )
  return rows[0]
}

/** Lets the client's people sign in at the installation's provider again; every process reads it with the next sign-in. */
export async function removeClientProvider(tx: Tx, client_id: number): Promise<void> {
  await tx.query(
    'update clients set oidc_issuer = null, oidc_client_id = null, oidc_client_secret = null where client_id = $1',
    [client_id],
  )
}
