import { hasData } from '@custodia/domain'
import type { FastifyRequest } from 'fastify'
import type { House } from '../house.ts'
import { Problem } from '../http/problem.ts'
import { type FoundAddress, findAddress } from './address-store.ts'
import { type Addresses, makeAddresses } from './address.ts'
import { ADDRESS_SECRET } from './data.ts'

export interface MediaOptions {
  /**
   * The session when the request carries its living HttpOnly cookie. A browser may carry several; `wanted` is the one that the
   * address was given to.
   */
  sessionOfRequest(
    request: FastifyRequest,
    wanted: { session_id: string; rotation: number; rotated_at: number },
  ): string | undefined
  /** The client app of that client whose own token the request carries. */
  appOfRequest(request: FastifyRequest, client_id: number): Promise<AppOfRequest | undefined>
}

/** An app that has shown its token, and until when the token is good (epoch seconds). */
export interface AppOfRequest {
  app_reference: string
  expires_at: number
}

/** An address that may be used now, by whom it was given to. */
export interface Grant extends FoundAddress {
  client_id: number
  object: NonNullable<FoundAddress['object']>
  /** Until when the app's token is good; null for a person. */
  token_expires_at: number | null
}

export interface Grants {
  /**
   * Finds out whether a request to a data address may be answered: genuine, not expired, from the browser of a session that
   * lives or with the token of its app, under an approval that holds, for a payload that may be seen and can be opened. Asked
   * anew for every request. Problem: address_expired.
   */
  grantOf(request: FastifyRequest): Promise<Grant>
  /** Whether what was granted would be granted still. An answer that has begun may outlive its address, and nothing else. */
  holds(grant: Grant): Promise<boolean>
}

/** The grants of data addresses. */
export function mediaGrants(house: House, options: MediaOptions): Grants {
  let addresses: Promise<Addresses> | undefined

  const find = ({ client_id, address_id }: Pick<Grant, 'client_id' | 'address_id'>) =>
    house.db.read(client_id, (q) => findAddress(q, client_id, address_id, house.now()))

  /** Throws unless the request comes from whom the address was given to; until when an app's token is good. */
  async function assertOwner(
    request: FastifyRequest,
    client_id: number,
    { session_id, app_reference, rotation, rotated_at }: FoundAddress,
  ): Promise<number | null> {
    if (app_reference !== null) {
      const app = await options.appOfRequest(request, client_id)
      if (app?.app_reference !== app_reference) throw refusal('another app')
      return app.expires_at
    }
    const isOwn =
      session_id !== null &&
      rotation !== null &&
      rotated_at !== null &&
      options.sessionOfRequest(request, { session_id, rotation, rotated_at }) === session_id
    if (!isOwn) throw refusal('another session')
    return null
  }

  return {
    async grantOf(request) {
      addresses ??= house.keys.namedSecret(ADDRESS_SECRET).then(makeAddresses)
      const { token } = request.params as { token: string }
      const address = (await addresses).open(token)
      if (!address) throw refusal('forged')
      if (house.now() >= address.expires_at) throw refusal('expired')
      const found = await find(address)
      if (!found) throw refusal('its session, app or approval has ended')
      const { client_id } = address
      const token_expires_at = await assertOwner(request, client_id, found)
      const { object } = found
      if (!object || !hasData(found)) throw refusal(`the payload is ${found.payload_state}`)
      return { ...found, client_id, object, token_expires_at }
    },

    async holds(grant) {
      if (grant.token_expires_at !== null && house.now() >= grant.token_expires_at) return false
      const found = await find(grant)
      // A changed app may have another issuer: its next token has to prove itself.
      return found !== undefined && found.app_updated_at === grant.app_updated_at && hasData(found)
    },
  }
}

const refusal = (detail: string) => new Problem('address_expired', { detail })
