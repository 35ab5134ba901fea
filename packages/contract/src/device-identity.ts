import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { ClientReference, text } from './scalars.ts'

/** Largest id token that a phone may show, in characters. */
export const ID_TOKEN_LIMIT = 16_384

export const deviceIdentityEndpoints = endpoints({
  readDeviceIdentity: {
    method: 'GET',
    portal: 'device',
    path: 'identity',
    authentication: 'none',
    summary: 'Start the sign-in of a device holder',
    query: { account_reference: ClientReference },
    response: z.strictObject({
      /** The device adds `redirect_uri`, `state`, `nonce` and the PKCE challenge. */
      redirect_url: z.string(),
      client_id: z.string(),
      /** The issuer. */
      user_pool_id: z.string(),
    }),
    problems: ['not_found', 'unavailable'],
  },
  exchangeDeviceCode: {
    method: 'POST',
    portal: 'device',
    path: 'identity',
    authentication: 'none',
    summary: 'Exchange the identity provider’s code of a device',
    body: z.strictObject({
      account_reference: ClientReference,
      code: text(1, 4096),
      redirect_uri: text(1, 2048),
      code_verifier: text(43, 128),
      nonce: text(1, 255),
    }),
    response: z.strictObject({
      access_token: z.string(),
      id_token: z.string(),
      refresh_token: z.nullable(z.string()),
      /** Seconds. */
      expires_in: z.int(),
    }),
    problems: ['not_found', 'sign_in_refused', 'unavailable'],
    secrets: ['code', 'code_verifier', 'access_token', 'id_token', 'refresh_token'],
  },
})
