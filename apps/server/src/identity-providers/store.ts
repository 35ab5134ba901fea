import type { Client } from '../clients/store.ts'
import type { House } from '../house.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'

/** A client, as far as signing its people in needs it. */
export type SignInClient = Pick<
  Client,
  'client_id' | 'client' | 'oidc_issuer' | 'oidc_client_id' | 'oidc_client_secret' | 'oidc_phone_client_id'
>

/** Whether the client's people are those of the embedded provider. */
export const isEmbedded = (
  house: Pick<House, 'config'>,
  client: Pick<SignInClient, 'oidc_issuer'>,
): boolean => house.config.oidc === undefined && client.oidc_issuer === null

/** How many clients sign their people in at that provider of their own. */
async function countClientsOfIssuer(db: Database, issuer: string): Promise<number> {
  const { rows } = await db.global((q) =>
    q.query<{ count: number }>('select count(*)::int as count from clients where oidc_issuer = $1', [issuer]),
  )
  return rows[0]?.count ?? 0
}

/** Writes where the client's people sign in from now on; every process reads it with the next sign-in. */
export async function writeClientProvider(
  tx: Tx,
  provider: {
    oidc_issuer: string
    oidc_client_id: string
    oidc_client_secret: Buffer | null
    oidc_phone_client_id: string | null
  },
): Promise<void> {
  await tx.query(
    'update clients set oidc_issuer = $2, oidc_client_id = $3, oidc_client_secret = $4, oidc_phone_client_id = $5 where client_id = $1',
    [
      tx.client_id,
      provider.oidc_issuer,
      provider.oidc_client_id,
      provider.oidc_client_secret,
      provider.oidc_phone_client_id,
    ],
  )
}

/** The client's present provider, locked against another change. */
export async function lockClientProvider(
  tx: Tx,
): Promise<Pick<Client, 'client' | 'oidc_issuer' | 'oidc_client_secret'> | undefined> {
  const { rows } = await tx.query<Pick<Client, 'client' | 'oidc_issuer' | 'oidc_client_secret'>>(
    `select client, oidc_issuer, oidc_client_secret from clients where client_id = $1 for update`,
    [tx.client_id],
  )
  return rows[0]
}

/** Lets the client's people sign in at the installation's provider again; every process reads it with the next sign-in. */
export async function removeClientProvider(tx: Tx): Promise<void> {
  await tx.query(
    'update clients set oidc_issuer = null, oidc_client_id = null, oidc_client_secret = null, oidc_phone_client_id = null where client_id = $1',
    [tx.client_id],
  )
}

/** Whether everybody whom the client's provider knows is this client's. */
export async function isServedAlone(
  { db, config }: Pick<House, 'db' | 'config'>,
  { oidc_issuer }: Pick<SignInClient, 'oidc_issuer'>,
): Promise<boolean> {
  if (oidc_issuer === null || isSameIssuer(oidc_issuer, config.oidc?.issuer)) return false
  return (await countClientsOfIssuer(db, oidc_issuer)) === 1
}

/** The slash at the end is easily written in one place and left out in another. */
const isSameIssuer = (one: string, other: string | undefined): boolean =>
  one.replace(/\/$/, '') === other?.replace(/\/$/, '')
