import type { IncomingMessage } from 'node:http'
import * as oidc from 'openid-client'
import { discovery, type ProviderConfig, type Reach, refuse, verifyIdToken } from './discovery.ts'
import { type IdentityProvider, type ProviderTokens, SignInRefused, type VerifiedIdentity } from './port.ts'

/** Requested where offered: many providers send these claims or refresh tokens only on request. */
const REQUESTED_SCOPES = ['profile', 'email', 'groups', 'offline_access']
/** Default lifetime in seconds. */
const DEFAULT_EXPIRY = 300

/** A client of an OpenID provider with authorization code, PKCE, state and nonce (RFC 9700). */
export function relyingParty(provider: ProviderConfig, reach: Reach): IdentityProvider {
  const discovered = discovery(provider, reach)

  async function verified(
    answer: Awaited<ReturnType<typeof oidc.refreshTokenGrant>>,
    before: ProviderTokens,
    nonce: string | undefined,
  ): Promise<VerifiedIdentity> {
    const tokens = {
      refresh_token: answer.refresh_token ?? before.refresh_token,
      id_token: answer.id_token ?? before.id_token,
    }
    const claims = await getClaims(await discovered(), answer, { client_id: provider.client_id, nonce })
    return { claims, tokens, expires_in: answer.expires_in ?? DEFAULT_EXPIRY }
  }

  return {
    issuer: provider.issuer,

    async signInUrl({ client, redirect_uri, state, nonce, code_verifier, locale, login_hint }) {
      const { config } = await discovered()
      const { scopes_supported = [] } = config.serverMetadata()
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri,
        scope: ['openid', ...REQUESTED_SCOPES.filter((each) => scopes_supported.includes(each))].join(' '),
        state,
        nonce,
        client,
        ui_locales: locale,
        ...(login_hint === undefined ? {} : { login_hint }),
        code_challenge: await oidc.calculatePKCECodeChallenge(code_verifier),
        code_challenge_method: 'S256',
      })
      return url.href
    },

    async redeem({ code, iss, redirect_uri, nonce, code_verifier }) {
      const { config } = await discovered()
      const { issuer, authorization_response_iss_parameter_supported } = config.serverMetadata()
      const returned = new URL(redirect_uri)
      returned.searchParams.set('code', code)
      // A code of another issuer, to which this provider sent the browser, must not reach this provider.
      if (iss !== undefined && iss !== issuer) throw new SignInRefused('the code is of another provider')
      if (authorization_response_iss_parameter_supported) returned.searchParams.set('iss', issuer)
      const checks = { pkceCodeVerifier: code_verifier, expectedNonce: nonce, idTokenExpected: true }
      const granted = oidc.authorizationCodeGrant(config, returned, checks)
      return granted.then((answer) => verified(answer, {}, nonce)).catch(refuse)
    },

    async renew(tokens) {
      if (tokens.refresh_token === undefined) throw new SignInRefused('there is no refresh token')
      const { config } = await discovered()
      const granted = oidc.refreshTokenGrant(config, tokens.refresh_token)
      return granted.then((answer) => verified(answer, tokens, undefined)).catch(refuse)
    },

    async revoke({ refresh_token }) {
      const { config } = await discovered()
      if (refresh_token === undefined || config.serverMetadata().revocation_endpoint === undefined) return
      await oidc.tokenRevocation(config, refresh_token).catch(refuse)
    },

    async signOutUrl({ id_token }, return_to) {
      const { config } = await discovered()
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined
      const parameters = new URLSearchParams({ post_logout_redirect_uri: return_to })
      if (id_token !== undefined) parameters.set('id_token_hint', id_token)
      return oidc.buildEndSessionUrl(config, parameters).href
    },
  }
}

/**
 * From the id token; a renewal may come without one (OpenID Connect Core 12.2), then from the user info.
 */
async function getClaims(
  provider: Awaited<ReturnType<ReturnType<typeof discovery>>>,
  answer: { id_token?: string; access_token: string },
  { client_id, nonce }: { client_id: string; nonce: string | undefined },
): Promise<VerifiedIdentity['claims']> {
  if (answer.id_token === undefined) {
    return oidc.fetchUserInfo(provider.config, answer.access_token, oidc.skipSubjectCheck)
  }
  return verifyIdToken(provider, answer.id_token, { client_id, nonce })
}

/** The loopback address of this process. */
export interface Loopback {
  /** The address that it listens on. */
  address: () => string
  /** A secret that distinguishes internal requests from external ones, which are rate limited. */
  inside: string
}

const INSIDE = 'x-custodia-inside'

/** Whether a request came over `loopbackReach`. */
export const isOfLoopback = ({ headers }: IncomingMessage, inside: string): boolean =>
  headers[INSIDE] === inside

/**
 * The transport to our own provider: requests to the public address go to loopback instead, so that proxy and
 * host name need not be reachable from here. Refuses other addresses.
 */
export function loopbackReach(publicUrl: string, { address, inside }: Loopback): Reach {
  const { origin } = new URL(publicUrl)
  return {
    admits: (asked) => URL.canParse(asked) && new URL(asked).origin === origin,
    async fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : input)
      if (url.origin !== origin)
        throw new TypeError('only the embedded provider is asked over the loopback address')
      const request = new Request(new URL(`${url.pathname}${url.search}`, address()), init)
      request.headers.set(INSIDE, inside)
      return fetch(request)
    },
  }
}
