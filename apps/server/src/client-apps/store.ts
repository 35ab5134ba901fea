import type { ClientApp, ClientAppInput } from '@custodia/contract'
import { clientColumn } from '../clients/store.ts'
import { getVersion } from '../http/etag.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'

interface AppRow {
  client: string
  app_reference: string
  issuer: string
  audience: string
  jwks_uri: string
  group: string | null
  roles: string[]
  cidr_ranges: string[]
  last_seen: number | null
  updated_at: number
  updated_by: string
}

const COLUMNS = `${clientColumn('a.client_id')}, a.app_reference, a.issuer, a.audience, a.jwks_uri, g.group_reference as "group", a.roles, a.cidr_ranges, a.last_seen,
  a.updated_at, a.updated_by`
const FROM = 'client_apps a left join groups g on g.client_id = a.client_id and g.group_id = a.group_id'

function getApp(row: AppRow): ClientApp {
  const { client, issuer, audience, jwks_uri, last_seen, updated_at, updated_by, ...rest } = row
  const saved = { ...rest, oidc_config: { issuer, audience, jwks_uri } }
  // That it was seen is no change of it.
  return { client, ...saved, version: getVersion([saved, updated_at]), last_seen, updated_at, updated_by }
}

/** The app of that reference, or undefined. */
export async function findApp(q: Queryable, app_reference: string): Promise<ClientApp | undefined> {
  const { rows } = await q.query<AppRow>(
    `select ${COLUMNS} from ${FROM} where a.client_id = $1 and a.app_reference = $2`,
    [q.client_id, app_reference],
  )
  return rows[0] && getApp(rows[0])
}

/** The app, if any, to which tokens of this issuer for this audience belong: there is one at most. */
export async function findAppOfIdentity(
  q: Queryable,
  { issuer, audience }: { issuer: string; audience: string },
): Promise<ClientApp | undefined> {
  const { rows } = await q.query<AppRow>(
    `select ${COLUMNS} from ${FROM} where a.client_id = $1 and a.issuer = $2 and a.audience = $3`,
    [q.client_id, issuer, audience],
  )
  return rows[0] && getApp(rows[0])
}

const MATCHES = `a.client_id = $1 and position(lower($2) in lower(a.app_reference)) > 0`

/** Apps behind a reference, by reference. */
export async function listApps(
  q: Queryable,
  { search, after, limit }: { search: string; after: string; limit: number },
): Promise<ClientApp[]> {
  const { rows } = await q.query<AppRow>(
    `select ${COLUMNS} from ${FROM} where ${MATCHES} and a.app_reference > $3 order by a.app_reference limit $4`,
    [q.client_id, search, after, limit],
  )
  return rows.map(getApp)
}

/** How many apps there are. */
export function countApps(q: Queryable, search: string): Promise<number> {
  return q.count(`select count(*)::int as total from client_apps a where ${MATCHES}`, [q.client_id, search])
}

/** Creates or replaces an app. A group that is not the client's is refused by the database. */
export async function writeApp(
  tx: Tx,
  app_reference: string,
  app: Omit<ClientAppInput, 'group'> & { group_id: number | null },
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  const { issuer, audience, jwks_uri } = app.oidc_config
  await tx.query(
    `insert into client_apps (client_id, app_reference, issuer, audience, jwks_uri, group_id, roles, cidr_ranges, updated_at, updated_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (client_id, app_reference) do update set issuer = excluded.issuer, audience = excluded.audience,
       jwks_uri = excluded.jwks_uri, group_id = excluded.group_id, roles = excluded.roles, cidr_ranges = excluded.cidr_ranges,
       updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
    [
      tx.client_id,
      app_reference,
      issuer,
      audience,
      jwks_uri,
      app.group_id,
      app.roles,
      app.cidr_ranges,
      by.updated_at,
      by.updated_by,
    ],
  )
}

export async function removeApp(tx: Tx, app_reference: string): Promise<void> {
  await tx.query('delete from client_apps where client_id = $1 and app_reference = $2', [
    tx.client_id,
    app_reference,
  ])
}

/** Notes that an app was here. */
export async function writeLastSeen(
  db: Database,
  client_id: number,
  app_reference: string,
  now: number,
): Promise<void> {
  await db.write(client_id, (tx) =>
    tx.query(
      `update client_apps set last_seen = $3 where client_id = $1 and app_reference = $2 and (last_seen is null or last_seen < $3)`,
      [client_id, app_reference, now],
    ),
  )
}
