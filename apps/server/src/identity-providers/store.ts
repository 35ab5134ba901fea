import {
  ClaimMapping,
  IDENTITY_DELAY_SECONDS,
  type IdentityChange,
  type ProposalAnswer,
  type StoredClaimMapping,
} from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { type Client, MAPPING_COLUMN } from '../clients/store.ts'
import { CLOCK } from '../held-records/store.ts'
import type { PortalContext } from '../http/context.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'
import type { VerifiedIdentity } from '../ports/identity/port.ts'

/** A client, as far as signing its people in needs it. */
export type SignInClient = Pick<
  Client,
  'client_id' | 'client' | 'oidc_issuer' | 'oidc_client_id' | 'oidc_client_secret' | 'oidc_device_client_id'
>

/** Whether the client's people are those of the embedded provider. */
export const isEmbedded = (
  ctx: Pick<AppContext, 'config'>,
  client: Pick<SignInClient, 'oidc_issuer'>,
): boolean => ctx.config.oidc === undefined && client.oidc_issuer === null

/** The issuer of the embedded provider, independent of the installation's address. */
const EMBEDDED = 'embedded'

/** The provider through which the client's people sign in, as people are known by it. A slash at the end makes no other one. */
export const getIssuer = (
  { config }: Pick<AppContext, 'config'>,
  { oidc_issuer }: Pick<SignInClient, 'oidc_issuer'>,
): string => (oidc_issuer ?? config.oidc?.issuer ?? EMBEDDED).replace(/\/$/, '')

/** How many clients sign their people in at that provider of their own. */
function countClientsOfIssuer(db: Database, issuer: string): Promise<number> {
  return db.global((q) =>
    q.count('select count(*)::int as count from clients where oidc_issuer = $1', [issuer]),
  )
}

/** Writes where the client's people sign in from now on; every process reads it with the next sign-in. */
export async function writeClientProvider(
  tx: Tx,
  provider: {
    oidc_issuer: string
    oidc_client_id: string
    oidc_client_secret: Buffer | null
    oidc_device_client_id: string | null
  },
): Promise<void> {
  await tx.query(
    'update clients set oidc_issuer = $2, oidc_client_id = $3, oidc_client_secret = $4, oidc_device_client_id = $5 where client_id = $1',
    [
      tx.client_id,
      provider.oidc_issuer,
      provider.oidc_client_id,
      provider.oidc_client_secret,
      provider.oidc_device_client_id,
    ],
  )
}

/** A client with its provider, as it is locked for a change. */
export type LockedClient = SignInClient &
  Pick<Client, 'is_provider' | 'claim_mapping' | 'first_administrator'>

/** The client's present provider, locked against another change. */
export function lockClientProvider(tx: Tx): Promise<LockedClient | undefined> {
  return tx.row<LockedClient>(
    `select client_id, client, is_provider, first_administrator, oidc_issuer, oidc_client_id, oidc_client_secret, oidc_device_client_id,
       ${MAPPING_COLUMN}
     from clients where client_id = $1 for update`,
    [tx.client_id],
  )
}

/** Lets the client's people sign in at the installation's provider again; every process reads it with the next sign-in. */
export async function removeClientProvider(tx: Tx): Promise<void> {
  await tx.query(
    'update clients set oidc_issuer = null, oidc_client_id = null, oidc_client_secret = null, oidc_device_client_id = null where client_id = $1',
    [tx.client_id],
  )
}

/** Writes how claims are read from now on; every process reads it with the next sign-in or renewal. */
export async function writeClaimMapping(
  tx: Tx,
  mapping: ClaimMapping,
  { updated_at, updated_by }: MappingChange,
): Promise<void> {
  await tx.query(
    'update clients set claim_mapping = $2, mapping_updated_at = $3, mapping_updated_by = $4 where client_id = $1',
    // A proposal does not keep the order of the fields.
    [tx.client_id, JSON.stringify(ClaimMapping.parse(mapping)), updated_at, updated_by],
  )
}

/** Who changed the mapping last, and when; null: it is as the account was made. */
export type MappingChange = Pick<StoredClaimMapping, 'updated_at' | 'updated_by'>

/** The last change of the client's mapping. */
export async function findMappingChange(q: Queryable): Promise<MappingChange> {
  const { rows } = await q.query<MappingChange>(
    'select mapping_updated_at as updated_at, mapping_updated_by as updated_by from clients where client_id = $1',
    [q.client_id],
  )
  return rows[0] ?? { updated_at: null, updated_by: null }
}

/** Whether the client's provider serves no other client. */
export async function isServedAlone(
  { db, config }: Pick<AppContext, 'db' | 'config'>,
  { oidc_issuer }: Pick<SignInClient, 'oidc_issuer'>,
): Promise<boolean> {
  if (oidc_issuer === null || isSameIssuer(oidc_issuer, config.oidc?.issuer)) return false
  return (await countClientsOfIssuer(db, oidc_issuer)) === 1
}

/** The slash at the end is easily written in one place and left out in another. */
const isSameIssuer = (one: string, other: string | undefined): boolean =>
  one.replace(/\/$/, '') === other?.replace(/\/$/, '')

/** Claims of identity providers about people, as their sessions keep them; undefined: none are kept. */
export interface KnownClaims {
  ofCaller(context: Pick<PortalContext, 'caller' | 'now'>): Promise<VerifiedIdentity['claims'] | undefined>
  /** Of the people who were here last, with their rights as of then, and how many others there are. Good to be shown, not to be trusted. */
  ofPeople(q: Queryable): Promise<{
    people: {
      user_reference: string
      display_name: string | null
      roles: string[]
      groups: string[] | null
      claims: VerifiedIdentity['claims'] | undefined
    }[]
    others: number
  }>
}

/** Notes for the provider's staff that a change was proposed. */
export async function insertChange(
  tx: Tx,
  { proposal_id, proposed_at, expires_at }: ProposalAnswer,
  change: Pick<IdentityChange, 'issuer' | 'oidc_client_id' | 'proposed_by'>,
): Promise<void> {
  await tx.query(
    `insert into identity_changes (client_id, proposal_id, issuer, oidc_client_id, proposed_at, proposed_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      tx.client_id,
      proposal_id,
      change.issuer,
      change.oidc_client_id,
      proposed_at,
      change.proposed_by,
      expires_at,
    ],
  )
}

/** The change that waits for the client, locked, with the clock of the database. */
export function lockWaitingChange(tx: Tx): Promise<(IdentityChange & { now: number }) | undefined> {
  return tx.row<IdentityChange & { now: number }>(
    `select proposal_id, issuer, oidc_client_id, proposed_at, proposed_by, expires_at, seconded_by, takes_effect_at, ${CLOCK} as now
     from identity_changes where client_id = $1 and ended_at is null and expires_at > ${CLOCK} for update`,
    [tx.client_id],
  )
}

/** Notes that the client cannot sign in, as another member of staff says too; the change must be locked. */
export async function secondChange(tx: Tx, proposal_id: string, by: string): Promise<void> {
  await tx.query(
    `update identity_changes set seconded_at = ${CLOCK}, seconded_by = $3, takes_effect_at = ${CLOCK} + ${IDENTITY_DELAY_SECONDS}
     where client_id = $1 and proposal_id = $2`,
    [tx.client_id, proposal_id, by],
  )
}

/** Due seconded changes of all clients. */
export function findDueChanges(db: Database): Promise<{ client_id: number }[]> {
  return db.acrossClients((q) =>
    q.rows<{ client_id: number }>(
      `select client_id from identity_changes where ended_at is null and takes_effect_at <= ${CLOCK} order by client_id`,
    ),
  )
}

/** The provider's own client; undefined before it is set up. */
export function findProviderWithin(tx: Tx): Promise<number | undefined> {
  return tx.value<number>('select client_id from clients where is_provider order by client_id limit 1')
}
