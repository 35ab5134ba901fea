import { createHash } from 'node:crypto'
import type { AuthenticateRequest } from '@custodia/contract'
import { type Client, findClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import type { Handlers } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { isServedAlone } from '../identity-providers/store.ts'
import type { PhoneParty } from '../ports/identity/phone-party.ts'
import { ProviderUnavailable, SignInRefused } from '../ports/identity/port.ts'

/** Finds the identity provider of a client's devices; undefined without one. */
export type FindParty = (client: Client) => PhoneParty | undefined

/**
 * Nonce of the id token, which binds the token to the device's key.
 * @param device_key base64 of its SPKI
 */
export const nonceOf = (device_key: string): string =>
  createHash('sha256').update(Buffer.from(device_key, 'base64')).digest('base64url')

/** Routes of the device user's sign-in. */
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
  if (!client || !party) throw new Problem('not_found', { detail: 'the account has no sign-in on devices' })
  return { client, party }
}

/**
 * Verified email of the signed-in device user; undefined without an id token. Problems: sign_in_refused, unavailable.
 */
export async function provenAddress(
  ctx: Pick<AppContext, 'db' | 'config' | 'log'>,
  findParty: FindParty,
  client: Client,
  { id_token, device_key }: Pick<AuthenticateRequest, 'id_token' | 'device_key'>,
): Promise<string | undefined> {
  if (!id_token) return undefined
  const party = findParty(client)
  if (!party) throw new Problem('sign_in_refused', { detail: 'the account has no sign-in on devices' })
  try {
    const person = await party.personOf(id_token, nonceOf(device_key))
    const whose = person.client ?? ((await isServedAlone(ctx, client)) ? client.client : undefined)
    if (whose !== client.client) throw new SignInRefused('a person of another client')
    return person.email
  } catch (error) {
    return toResponse(ctx, error)
  }
}

/** Maps errors of the identity provider to problems. Other errors pass through. */
function toResponse({ log }: Pick<AppContext, 'log'>, error: unknown): never {
  if (error instanceof SignInRefused) throw new Problem('sign_in_refused', { detail: error.message })
  if (!(error instanceof ProviderUnavailable)) throw error
  log.warn({ err: error }, 'the identity provider is unavailable')
  throw new Problem('unavailable', { detail: error.message })
}
