import { Email } from '@custodia/contract'
import * as oidc from 'openid-client'
import * as z from 'zod/mini'
import { discovery, type ProviderConfig, type Reach, refuse, verifyIdToken } from './discovery.ts'
import { type CodeAnswer, SignInRefused } from './port.ts'

/** The provider's tokens for a device whose user has signed in. */
export interface DeviceTokens {
  access_token: string
  id_token: string
  refresh_token: string | undefined
  /** Seconds. */
  expires_in: number
}

/** A person who has signed in on a device. */
export interface SignedInPerson {
  /** Confirmed by the provider. */
  email: string
  /** Absent when the provider serves one client only. */
  client: string | undefined
}

/** An OpenID provider for devices, which are a separate public client of it. */
export interface DeviceParty {
  readonly issuer: string
  readonly client_id: string
  /**
   * The sign-in address for a device, which adds `redirect_uri`, `state`, `nonce` and the challenge of PKCE.
   * Throws ProviderUnavailable.
   */
  signInUrl(client: string): Promise<string>
  /** Throws SignInRefused or ProviderUnavailable. */
  redeem(code: CodeAnswer): Promise<DeviceTokens>
  /** The person of an id token. Throws SignInRefused or ProviderUnavailable. */
  getPerson(id_token: string, nonce: string): Promise<SignedInPerson>
}

/** Scopes requested in addition to `openid`, where offered. */
const REQUESTED_SCOPES = ['email', 'offline_access']
/** Default lifetime in seconds. */
const DEFAULT_EXPIRY = 300

const Claims = z.object({
  email: Email,
  // Some providers send it as text.
  email_verified: z.union([z.literal(true), z.literal('true')]),
  client: z.optional(z.string()),
  azp: z.optional(z.string()),
})

/** A provider for the devices of a client. */
export function deviceParty(provider: Omit<ProviderConfig, 'client_secret'>, reach: Reach): DeviceParty {
  const { issuer, client_id } = provider
  const discovered = discovery({ ...provider, client_secret: undefined }, reach)
  return {
    issuer,
    client_id,

    async signInUrl(client) {
      const { config } = await discovered()
      const { scopes_supported = [] } = config.serverMetadata()
      const scope = ['openid', ...REQUESTED_SCOPES.filter((each) => scopes_supported.includes(each))].join(
        ' ',
      )
      const url = oidc.buildAuthorizationUrl(config, { scope, client })
      return url.href
    },

    async redeem({ code, redirect_uri, nonce, code_verifier }) {
      const { config } = await discovered()
      const { issuer: stated, authorization_response_iss_parameter_supported } = config.serverMetadata()
      if (!URL.canParse(redirect_uri)) throw new SignInRefused('no redirect address')
      const returned = new URL(redirect_uri)
      returned.searchParams.set('code', code)
      if (authorization_response_iss_parameter_supported) returned.searchParams.set('iss', stated)
      const checks = { pkceCodeVerifier: code_verifier, expectedNonce: nonce, idTokenExpected: true }
      const answer = await oidc.authorizationCodeGrant(config, returned, checks).catch(refuse)
      if (answer.id_token === undefined) throw new SignInRefused('no id token')
      return {
        access_token: answer.access_token,
        id_token: answer.id_token,
        refresh_token: answer.refresh_token,
        expires_in: answer.expires_in ?? DEFAULT_EXPIRY,
      }
    },

    async getPerson(id_token, nonce) {
      const found = await discovered()
      const payload = await verifyIdToken(found, id_token, { client_id, nonce }).catch(refuse)
      const parsed = Claims.safeParse(payload)
      if (!parsed.success) throw new SignInRefused('the provider sends no verified e-mail address')
      const { email, client, azp } = parsed.data
      if (azp !== undefined && azp !== client_id) throw new SignInRefused('the token is for another party')
      return { email, client }
    },
  }
}
