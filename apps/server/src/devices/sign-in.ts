import { createHash } from 'node:crypto'
import type { AuthenticateRequest } from '@custodia/contract'
import { type Client, findClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import type { Handlers } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { isServedAlone } from '../identity-providers/store.ts'
import type { PhoneParty } from '../ports/identity/phone-party.ts'
import { ProviderUnavailable, SignInRefused } from '../ports/identity/port.ts'

/** Where the people of a client sign in on their phones; undefined where they do not. */
export type FindParty = (client: Client) => PhoneParty | undefined

/**
 * The nonce with which a phone has its id token made: by it the token counts for the phone with this key and no other.
 *
 * @param device_key base64 of its SPKI
 */
export const nonceOf = (device_key: string): string =>
  createHash('sha256').update(Buffer.from(device_key, 'base64')).digest('base64url')

/** Handlers of what a phone asks so that its person can sign in. */
export const deviceIdentityRoutes = (
  ctx: Pick<AppContext, 'db' | 'log'>,
  findParty: FindParty,
): Handlers<'readDeviceIdentity' | 'exchangeDeviceCode'> => ({
  async readDeviceIdentity(_context, { query: { account_reference } }) {
    const { client, party } = await partyOf(ctx, findParty, account_reference)
    const redirect_url = await party
      .signInUrl(client.client)
      .catch((error: unknown) => toResponse(ctx, error))
    return { redirect_url, client_id: party.client_id, user_pool_id: party.issuer }
  },
  async exchangeDeviceCode(_context, { body: { account_reference, ...code } }) {
    const { party } = await partyOf(ctx, findParty, account_reference)
    const tokens = await party.redeem(code).catch((error: unknown) => toResponse(ctx, error))
    return { ...tokens, refresh_token: tokens.refresh_token ?? null }
  },
})

async function partyOf({ db }: Pick<AppContext, 'db'>, findParty: FindParty, account_reference: string) {
  const client = await findClient(db, account_reference)
  const party = client && findParty(client)
  if (!client || !party)
    throw new Problem('not_found', { detail: 'nobody signs in on phones of that account' })
  return { client, party }
}

/**
 * The address that the person on the phone has proved to be theirs; undefined when the phone shows nothing of the kind. Problems:
 * sign_in_refused, unavailable.
 */
export async function provenAddress(
  ctx: Pick<AppContext, 'db' | 'config' | 'log'>,
  findParty: FindParty,
  client: Client,
  { id_token, device_key }: Pick<AuthenticateRequest, 'id_token' | 'device_key'>,
): Promise<string | undefined> {
  if (!id_token) return undefined
  const party = findParty(client)
  if (!party) throw new Problem('sign_in_refused', { detail: 'nobody signs in on phones of this account' })
  try {
    const person = await party.personOf(id_token, nonceOf(device_key))
    const whose = person.client ?? ((await isServedAlone(ctx, client)) ? client.client : undefined)
    if (whose !== client.client) throw new SignInRefused('a person of another client')
    return person.email
  } catch (error) {
    return toResponse(ctx, error)
  }
}

/** The problem for what the provider says or does not say. Other errors pass. */
function toResponse({ log }: Pick<AppContext, 'log'>, error: unknown): never {
  if (error instanceof SignInRefused) throw new Problem('sign_in_refused', { detail: error.message })
  if (!(error instanceof ProviderUnavailable)) throw error
  log.warn({ err: error }, 'the identity provider is unavailable')
  throw new Problem('unavailable', { detail: error.message })
}
