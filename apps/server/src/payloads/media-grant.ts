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
}

/** An address that may be used now, by whom it was given to. */
export interface Grant extends FoundAddress {
  client_id: number
  object: NonNullable<FoundAddress['object']>
}

/**
 * Finds out whether a request to a data address may be answered: genuine, not expired, from the browser of a session that lives,
 * for a payload that may be seen and can be opened. Asked anew for every request. Problem: address_expired.
 */
export function mediaGrants(
  house: House,
  options: MediaOptions,
): (request: FastifyRequest) => Promise<Grant> {
  let addresses: Promise<Addresses> | undefined
  return async (request) => {
    addresses ??= house.keys.namedSecret(ADDRESS_SECRET).then(makeAddresses)
    const { token } = request.params as { token: string }
    const address = (await addresses).open(token)
    if (!address) throw refusal('forged')
    const { address_id, client_id, expires_at } = address
    const now = house.now()
    if (now >= expires_at) throw refusal('expired')
    const found = await house.db.read(client_id, (q) => findAddress(q, client_id, address_id, now))
    if (!found) throw refusal('its session has ended')
    if (options.sessionOfRequest(request, found) !== found.session_id) throw refusal('another session')
    const { object } = found
    if (!object || !hasData(found)) throw refusal(`the payload is ${found.payload_state}`)
    return { ...found, client_id, object }
  }
}

const refusal = (detail: string) => new Problem('address_expired', { detail })
