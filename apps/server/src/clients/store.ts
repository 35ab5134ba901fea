import { type ClaimMapping, type ClientAccount, DEFAULT_CLAIM_MAPPING } from '@custodia/contract'
import { getVersion } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'

/** Every client of the installation, for jobs over all clients. */
export function listClients(
  db: Database,
): Promise<{ client_id: number; client: string; is_provider: boolean }[]> {
  return db.global((q) =>
    q.rows<{ client_id: number; client: string; is_provider: boolean }>(
      'select client_id, client, is_provider from clients order by client_id',
    ),
  )
}

/** Makes changes that add what cannot be locked before it exists wait for each other until the transaction ends. */
export async function lockClient(tx: Tx): Promise<void> {
  await tx.query('select from clients where client_id = $1 for no key update', [tx.client_id])
}

/** Numbers of clients, per database: they never change, and no client is ever removed. */
const clientIds = new WeakMap<Database, Map<string, number>>()

/** The id of a client, or undefined. Every upload names its client, so each process caches it. */
export async function getClientId(db: Database, client: string): Promise<number | undefined> {
  const ids = clientIds.get(db) ?? new Map<string, number>()
  clientIds.set(db, ids)
  const known = ids.get(client)
  if (known !== undefined) return known
  const client_id = (await findClient(db, client))?.client_id
  if (client_id !== undefined) ids.set(client, client_id)
  return client_id
}

/** A client, with its wrapped keys. */
export interface Client {
  client_id: number
  client: string
  client_name: string
  is_provider: boolean
  access_epoch: number
  account_key: Buffer
  oidc_issuer: string | null
  oidc_client_id: string | null
  oidc_client_secret: Buffer | null
  oidc_device_client_id: string | null
  /** How the claims of its identity provider are read. */
  claim_mapping: ClaimMapping
  /** Who administers the account until the identity provider names roles; null: no such person. */
  first_administrator: string | null
  /** Since when its people and apps cannot sign in, in epoch seconds; null: they can. */
  suspended_at: number | null
  /** Since when it is deleted, in epoch seconds; null: it is not. */
  deleted_at: number | null
}

/** Of a record of the client with that number, an expression: its reference. */
export const clientColumn = (client_id: string): string =>
  `(select owner.client from clients owner where owner.client_id = ${client_id}) as client`

/** The claim mapping of a client, or the default. */
export const MAPPING_COLUMN = `coalesce(claim_mapping, '${JSON.stringify(DEFAULT_CLAIM_MAPPING)}'::json) as claim_mapping`

const COLUMNS = `client_id, client, client_name, is_provider, access_epoch, account_key, oidc_issuer, oidc_client_id,
  oidc_client_secret, oidc_device_client_id, first_administrator, suspended_at, deleted_at, ${MAPPING_COLUMN}`

/** The client of that reference, or undefined. */
export function findClient(db: Pick<Database, 'global'>, client: string): Promise<Client | undefined> {
  return db.global((q) => q.row<Client>(`select ${COLUMNS} from clients where client = $1`, [client]))
}

/** The client that a call of the provider's area names. Problem: not_found. */
export async function getClient({ db }: { db: Database }, reference: string): Promise<Client> {
  const found = await findClient(db, reference)
  if (!found || found.deleted_at !== null) throw new Problem('not_found', { detail: 'no such client' })
  return found
}

/** As `getClient`, but only customers: the provider's own client is not one. */
export async function getCustomer(ctx: { db: Database }, reference: string): Promise<Client> {
  const found = await getClient(ctx, reference)
  if (found.is_provider) throw new Problem('not_found', { detail: 'the provider is no customer' })
  return found
}

/** What a client is made of, without what belongs to it. */
export type ClientRow = Omit<Client, 'access_epoch' | 'suspended_at' | 'deleted_at' | 'claim_mapping'> & {
  /** Null: by the default names. */
  claim_mapping: ClaimMapping | null
}

/** An id for a new client. */
export async function nextClientId(db: Pick<Database, 'global'>): Promise<number> {
  const { rows } = await db.global((q) =>
    q.query<{ client_id: number }>(`select nextval('clients_client_id_seq')::int as client_id`),
  )
  if (!rows[0]) throw new Error('the database gave no number')
  return rows[0].client_id
}

/** Adds a client, as the tenant that it is. Throws DatabaseProblem `unique` where there is one of that reference. */
export async function insertClient(tx: Tx, client: ClientRow, now: number): Promise<void> {
  await tx.query(
    `insert into clients (client_id, client, client_name, is_provider, account_key, oidc_issuer, oidc_client_id, oidc_client_secret,
       oidc_device_client_id, first_administrator, claim_mapping, created_at)
     overriding system value values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      tx.client_id,
      client.client,
      client.client_name,
      client.is_provider,
      client.account_key,
      client.oidc_issuer,
      client.oidc_client_id,
      client.oidc_client_secret,
      client.oidc_device_client_id,
      client.first_administrator,
      client.claim_mapping && JSON.stringify(client.claim_mapping),
      now,
    ],
  )
}

/** Adds the key with which the client's devices seal from now on. */
export async function insertKek(
  tx: Tx,
  { key_id, public_key_pem }: { key_id: string; public_key_pem: string },
  now: number,
): Promise<void> {
  await tx.query(
    'insert into client_keys (key_id, client_id, public_key, created_at) values ($1, $2, $3, $4)',
    [key_id, tx.client_id, public_key_pem, now],
  )
}

/** Names another first administrator of the tenant's client. */
export async function writeFirstAdministrator(tx: Tx, first_administrator: string): Promise<void> {
  await tx.query('update clients set first_administrator = $2 where client_id = $1', [
    tx.client_id,
    first_administrator,
  ])
}

/** Suspends the tenant's client. False if it is suspended already. */
export async function suspendClient(
  tx: Tx,
  { at, by, reason }: { at: number; by: string; reason: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update clients set suspended_at = $2, suspended_by = $3, suspended_reason = $4 where client_id = $1 and suspended_at is null`,
    [tx.client_id, at, by, reason],
  )
  return rowCount > 0
}

/** Resumes the tenant's client, also when its deletion is proposed. False if it is not suspended. */
export async function resumeClient(tx: Tx): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update clients set suspended_at = null, suspended_by = null, suspended_reason = null,
       deletion_proposed_at = null, deletion_proposed_by = null where client_id = $1 and suspended_at is not null`,
    [tx.client_id],
  )
  return rowCount > 0
}

/** Which clients a list of the provider shows. */
export interface ClientFilter {
  /** Part of the reference or the name, in any case; empty: all. */
  search: string
  /** The provider's own among them? */
  with_provider: boolean
}

const FILTER = `($1 = '' or position(lower($1) in lower(client)) > 0 or position(lower($1) in lower(client_name)) > 0)
  and ($2 or not is_provider) and deleted_at is null`
const getValues = ({ search, with_provider }: ClientFilter) => [search, with_provider]

/** How many clients pass the filter. */
export function countClients(db: Database, filter: ClientFilter): Promise<number> {
  return db.global((q) =>
    q.count(`select count(*)::int as total from clients where ${FILTER}`, getValues(filter)),
  )
}

export type ListedClient = Pick<Client, 'client_id' | 'client' | 'client_name'>

/** Clients after a reference, in order of their references. */
export function pageOfClients(
  db: Database,
  filter: ClientFilter,
  after: string,
  limit: number,
): Promise<ListedClient[]> {
  return db.global((q) =>
    q.rows<ListedClient>(
      `select client_id, client, client_name from clients
       where ${FILTER} and client > $3 order by client limit $4`,
      [...getValues(filter), after, limit],
    ),
  )
}

/** Seconds after which an upload that is not processed counts as waiting. */
const WAITING_SECONDS = 3600

const ACCOUNTS = (condition: string) => `
  with page as (
    select client_id, client, client_name, is_provider, created_at, oidc_issuer, oidc_client_id, oidc_device_client_id,
      first_administrator, suspended_at, suspended_by, suspended_reason, deletion_proposed_at, deletion_proposed_by, ${MAPPING_COLUMN}
    from clients where ${condition}
  )
  select client, client_name, is_provider, created_at, oidc_issuer, oidc_client_id, oidc_device_client_id,
    first_administrator, suspended_at, suspended_by, suspended_reason, deletion_proposed_at, deletion_proposed_by,
    claim_mapping,
    (select to_jsonb(w) from (select proposal_id, issuer, oidc_client_id, proposed_at, proposed_by, expires_at, seconded_by, takes_effect_at
       from identity_changes i where i.client_id = page.client_id and i.ended_at is null
         and i.expires_at > extract(epoch from clock_timestamp())) w) as identity_change,
    (select count(*)::int from devices d where d.client_id = page.client_id and d.deleted_at is null) as devices,
    (select count(*)::int from device_users u where u.client_id = page.client_id and u.deleted_at is null) as device_users,
    (select count(*)::int from alerts a where a.client_id = page.client_id and a.alert_state = 'Triggered'
       and (a.alert_target = 'admin' or a.alert_type = 'Notification')) as open_alerts,
    (select count(*)::int from payload_work w where w.client_id = page.client_id
       and w.since < extract(epoch from clock_timestamp()) - ${WAITING_SECONDS}) as waiting_uploads
  from page order by client`

/** Accounts after a reference, with the size of their fleets. */
export async function pageOfAccounts(
  db: Database,
  filter: ClientFilter,
  after: string,
  limit: number,
): Promise<ClientAccount[]> {
  const { rows } = await db.acrossClients((q) =>
    q.query<Omit<ClientAccount, 'version'>>(ACCOUNTS(`${FILTER} and client > $3 order by client limit $4`), [
      ...getValues(filter),
      after,
      limit,
    ]),
  )
  return rows.map(withVersion)
}

const withVersion = (account: Omit<ClientAccount, 'version'>): ClientAccount => ({
  ...account,
  version: identityVersion(account, account.identity_change?.proposal_id),
})

/** Version of how a client signs in: its provider, its claim mapping, and the change that waits. */
export const identityVersion = (
  client: Pick<ClientAccount, 'oidc_issuer' | 'oidc_client_id' | 'oidc_device_client_id' | 'claim_mapping'>,
  proposal_id: string | undefined,
): string => {
  const { oidc_issuer, oidc_client_id, oidc_device_client_id, claim_mapping } = client
  return getVersion([oidc_issuer, oidc_client_id, oidc_device_client_id, claim_mapping, proposal_id])
}

/** One account, or undefined. */
export async function readAccount(db: Database, client_id: number): Promise<ClientAccount | undefined> {
  const { rows } = await db.acrossClients((q) =>
    q.query<Omit<ClientAccount, 'version'>>(ACCOUNTS('client_id = $1'), [client_id]),
  )
  return rows[0] && withVersion(rows[0])
}

/** The provider's own client; undefined before it is set up. */
export function findProvider(db: Pick<Database, 'global'>): Promise<number | undefined> {
  return db.global((q) =>
    q.value<number>('select client_id from clients where is_provider order by client_id limit 1'),
  )
}

/** The tenant's own client. */
export function readOwnClient(q: Queryable): Promise<Client | undefined> {
  return q.row<Client>(`select ${COLUMNS} from clients where client_id = $1`, [q.client_id])
}

/** Whether the database has keys of clients: their private halves cannot be created again. */
export async function hasKeysOfClients(db: Database): Promise<boolean> {
  const { rows } = await db.owner.query<{ has: boolean }>('select exists (select from client_keys) as has')
  return rows[0]?.has ?? false
}

/** Locks the settings and runs of the client's migrations until the transaction ends. */
export async function lockMigrations(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('migration:' || $1::text, 0))`, [
    tx.client_id,
  ])
}
