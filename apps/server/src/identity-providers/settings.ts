import { fault } from '@custodia/contract'
import * as z from 'zod/mini'
import type { AppContext } from '../app-context.ts'
import type { Client } from '../clients/store.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type Egress, EgressProblem } from '../ports/egress/port.ts'
import { oidcSecretContext } from '../ports/keys/contexts.ts'
import { lockClientProvider, writeClientProvider } from './store.ts'

/** Where a client's people sign in. */
export interface ClientProvider {
  issuer: string
  oidc_client_id: string
  /** Client id of the app on devices; absent or null: no sign-in on devices. */
  oidc_device_client_id?: string | null | undefined
  /** Absent: as it is, unless the issuer changes; null: none (a public client). */
  client_secret?: string | null | undefined
}

/** A provider with verified description and keys; only `checkClientProvider` makes one. */
export interface CheckedProvider extends ClientProvider {
  readonly checked: typeof CHECKED
}
const CHECKED = Symbol('checked')

/** What a sign-in needs of a description (OpenID Connect Discovery 3). */
const Description = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
})
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).check(z.minLength(1)) })

/**
 * Reads the provider's description and keys through the egress guard. Call it outside of a transaction: a foreign
 * server may be slow. Problem: invalid_input, its fault at `issuer` with the reason among its values.
 */
export async function checkClientProvider(
  { egress }: Pick<AppContext, 'egress'>,
  provider: ClientProvider,
): Promise<CheckedProvider> {
  const address = `${provider.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const description = Description.safeParse(await read(egress, address))
  if (!description.success) throw refused('address_unreachable', 'not_a_provider')
  const { issuer, authorization_endpoint, token_endpoint, jwks_uri } = description.data
  // Exact, apart from a final slash: tokens carry the issuer of the description.
  if (issuer.replace(/\/$/, '') !== provider.issuer.replace(/\/$/, ''))
    throw refused('address_unreachable', 'another_issuer')
  if (![authorization_endpoint, token_endpoint].every((each) => egress.admits(each)))
    throw refused('address_forbidden', 'forbidden_endpoint')
  if (!KeySet.safeParse(await read(egress, jwks_uri)).success) throw refused('address_unreachable', 'no_keys')
  return { ...provider, issuer, checked: CHECKED }
}

/** Makes the provider the client's own within `tx`; counts in every process from the next sign-in on. */
export async function saveClientProvider(
  { keys }: Pick<AppContext, 'keys'>,
  tx: Tx,
  provider: CheckedProvider,
): Promise<void> {
  const present = await lockClientProvider(tx)
  if (!present) throw new Problem('not_found', { detail: 'no such client' })
  await writeClientProvider(tx, {
    oidc_issuer: provider.issuer,
    oidc_client_id: provider.oidc_client_id,
    oidc_device_client_id: provider.oidc_device_client_id ?? null,
    oidc_client_secret: secretAt(provider.issuer, present, await sealSecret(keys, present.client, provider)),
  })
}

/** The secret of a client at a provider, sealed; undefined: it stays as it is, null: none. */
export async function sealSecret(
  keys: AppContext['keys'],
  client: string,
  { client_secret }: ClientProvider,
): Promise<Buffer | null | undefined> {
  return client_secret === undefined || client_secret === null
    ? client_secret
    : keys.wrap(Buffer.from(client_secret), oidcSecretContext(client))
}

/** The sealed secret for an issuer: a new one, or the present one. A secret is never sent to an issuer that it was not meant for. */
export const secretAt = (
  issuer: string,
  present: Pick<Client, 'oidc_issuer' | 'oidc_client_secret'>,
  sealed: Buffer | null | undefined,
): Buffer | null =>
  sealed === undefined ? (present.oidc_issuer === issuer ? present.oidc_client_secret : null) : sealed

async function read(egress: Egress, address: string): Promise<unknown> {
  try {
    return await egress.fetchJson(address)
  } catch (error) {
    if (!(error instanceof EgressProblem)) throw error
    if (error.reason === 'not_https') throw refused('https_address', error.reason)
    throw refused(error.isForbidden ? 'address_forbidden' : 'address_unreachable', error.reason)
  }
}

type AddressFault = 'https_address' | 'address_forbidden' | 'address_unreachable'
const refused = (code: AddressFault, reason: string): Problem =>
  new Problem('invalid_input', { faults: [fault('issuer', code, { reason })], detail: reason })
