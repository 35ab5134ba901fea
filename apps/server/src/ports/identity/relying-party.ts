import type { IncomingMessage } from 'node:http'
import { createRemoteJWKSet, customFetch as jwksFetch, errors, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { EgressProblem } from '../egress/port.ts'
import { readClaims } from './claims.ts'
import {
  type Claims,
  type IdentityProvider,
  ProviderUnavailable,
  type ProviderTokens,
  SignInRefused,
  type Voucher,
} from './port.ts'

/** How a provider is reached, and who we are to it. */
export interface ProviderConfig {
  issuer: string
  client_id: string
  client_secret: string | undefined
}

/** The way to a provider: through the guard of outgoing requests, or over the loopback address to our own. */
export interface Reach {
  readonly fetch: typeof fetch
  /** Whether browsers may be sent to an address that the provider names. */
  admits(address: string): boolean
}

/** Signatures that count; never `none` and never a shared secret. */
const ALGORITHMS = ['RS256', 'ES256', 'PS256']
/** Asked for where offered: many providers tell of a person, or give tokens to renew with, only to those who ask. */
const WISHED_SCOPES = ['profile', 'offline_access']
/** Seconds after which the provider's description is read anew. */
const DISCOVERY_AGE = 3600
const TIMEOUT_S = 10
const CLOCK_TOLERANCE_S = 5
/** Lifetime that counts when a provider names none, in seconds. */
const DEFAULT_EXPIRY = 300

interface Discovered {
  config: oidc.Configuration
  jwks: ReturnType<typeof createRemoteJWKSet>
}

/** An OpenID provider, spoken to with authorization code, PKCE, state and nonce (RFC 9700). */
export function relyingParty(provider: ProviderConfig, reach: Reach): IdentityProvider {
  let known: { at: number; value: Promise<Discovered> } | undefined

  function discovered(): Promise<Discovered> {
    const now = performance.now() / 1000
    if (!known || now - known.at > DISCOVERY_AGE) {
      const value = discover()
      known = { at: now, value }
      // A failure is not remembered.
      value.catch(() => (known = undefined))
    }
    return known.value
  }

  async function discover(): Promise<Discovered> {
    const issuer = new URL(provider.issuer)
    const { client_secret } = provider
    const config = await oidc
      .discovery(
        issuer,
        provider.client_id,
        undefined,
        client_secret === undefined ? oidc.None() : secretAuthentication(client_secret),
        {
          [oidc.customFetch]: (url, init) => reach.fetch(url, init as RequestInit),
          timeout: TIMEOUT_S,
          // Where TLS is needed is for the reach to say, and it insists.
          execute: [oidc.allowInsecureRequests],
        },
      )
      .catch(refuse)
    config.timeout = TIMEOUT_S
    const { jwks_uri, authorization_endpoint, end_session_endpoint } = config.serverMetadata()
    for (const address of [authorization_endpoint, end_session_endpoint]) {
      if (address !== undefined && !reach.admits(address))
        throw new ProviderUnavailable('the provider sends people to an address that is not secure')
    }
    if (jwks_uri === undefined) throw new ProviderUnavailable('the provider publishes no keys')
    const jwks = createRemoteJWKSet(new URL(jwks_uri), {
      [jwksFetch]: (url: string, init: RequestInit) => reach.fetch(url, init),
      timeoutDuration: TIMEOUT_S * 1000,
    })
    return { config, jwks }
  }

  async function voucher(
    answer: Awaited<ReturnType<typeof oidc.refreshTokenGrant>>,
    before: ProviderTokens,
    nonce: string | undefined,
  ): Promise<Voucher> {
    const tokens = {
      refresh_token: answer.refresh_token ?? before.refresh_token,
      id_token: answer.id_token ?? before.id_token,
    }
    const claims = await claimsOf(answer, nonce)
    return { claims, tokens, expires_in: answer.expires_in ?? DEFAULT_EXPIRY }
  }

  /** From the id token; a renewal may come without one (OpenID Connect Core 12.2), then from the user info. */
  async function claimsOf(
    answer: { id_token?: string; access_token: string },
    nonce: string | undefined,
  ): Promise<Claims> {
    const { config, jwks } = await discovered()
    if (answer.id_token === undefined) {
      return readClaims(await oidc.fetchUserInfo(config, answer.access_token, oidc.skipSubjectCheck))
    }
    const { payload, protectedHeader } = await jwtVerify(answer.id_token, jwks, {
      issuer: config.serverMetadata().issuer,
      audience: provider.client_id,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_S,
      requiredClaims: ['sub', 'iat', 'exp'],
    })
    if ((protectedHeader.typ ?? 'JWT').toUpperCase() !== 'JWT')
      throw new SignInRefused('the token is of another kind')
    if (nonce !== undefined && payload.nonce !== nonce) throw new SignInRefused('the nonce is not ours')
    return readClaims(payload)
  }

  return {
    issuer: provider.issuer,

    async signInUrl({ client, redirect_uri, state, nonce, code_verifier, locale, login_hint }) {
      const { config } = await discovered()
      const { scopes_supported = [] } = config.serverMetadata()
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri,
        scope: ['openid', ...WISHED_SCOPES.filter((each) => scopes_supported.includes(each))].join(' '),
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

    async redeem({ code, redirect_uri, nonce, code_verifier }) {
      const { config } = await discovered()
      const { issuer, authorization_response_iss_parameter_supported } = config.serverMetadata()
      const returned = new URL(redirect_uri)
      returned.searchParams.set('code', code)
      // The portal passes on only the code; which provider it came from is known from the sealed cookie.
      if (authorization_response_iss_parameter_supported) returned.searchParams.set('iss', issuer)
      const checks = { pkceCodeVerifier: code_verifier, expectedNonce: nonce, idTokenExpected: true }
      const granted = oidc.authorizationCodeGrant(config, returned, checks)
      return granted.then((answer) => voucher(answer, {}, nonce)).catch(refuse)
    },

    async renew(tokens) {
      if (tokens.refresh_token === undefined) throw new SignInRefused('there is nothing to renew with')
      const { config } = await discovered()
      const granted = oidc.refreshTokenGrant(config, tokens.refresh_token)
      return granted.then((answer) => voucher(answer, tokens, undefined)).catch(refuse)
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
 * The secret in the form where the provider takes it there, else in the header. The header would have it escaped (RFC 6749
 * 2.3.1), which not all providers undo: LemonLDAP::NG fails on any `-`.
 */
function secretAuthentication(client_secret: string): oidc.ClientAuth {
  const [inForm, inHeader] = [oidc.ClientSecretPost(client_secret), oidc.ClientSecretBasic(client_secret)]
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = [] } = server
    const authenticate = methods.includes('client_secret_post') ? inForm : inHeader
    return authenticate(server, client, body, headers)
  }
}

/** OAuth errors by which a provider refuses the person or the grant; others are a fault between it and us. */
const REFUSALS: ReadonlySet<string> = new Set([
  'invalid_grant',
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
])

/** Sorts what went wrong: only a clear no of the provider ends a sign-in. The message carries no secret. */
function refuse(error: unknown): never {
  if (error instanceof SignInRefused || error instanceof ProviderUnavailable) throw error
  const blocked = egressProblemOf(error)
  if (blocked) throw new ProviderUnavailable(blocked.message, { cause: error })
  const { error: oauth, code } = (error ?? {}) as { error?: string; code?: string }
  if (oauth !== undefined && REFUSALS.has(oauth)) throw new SignInRefused(oauth)
  // jose's plain error: the key set could not be fetched.
  if (
    error instanceof errors.JWKSTimeout ||
    code === errors.JWKSInvalid.code ||
    code === errors.JOSEError.code
  ) {
    throw new ProviderUnavailable('the keys of the provider cannot be read', { cause: error })
  }
  if (error instanceof errors.JOSEError) throw new SignInRefused(`id token: ${error.code}`)
  if (code === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED' || code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') {
    throw new SignInRefused(`id token: ${code}`)
  }
  throw new ProviderUnavailable(oauth ?? code ?? 'the provider cannot be reached', { cause: error })
}

/** What the guard of outgoing requests said; libraries wrap it in errors of their own. */
function egressProblemOf(error: unknown): EgressProblem | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof EgressProblem) return each
  }
  return undefined
}

/** This process as it reaches itself. */
export interface Loopback {
  /** Address at which it listens. */
  address: () => string
  /** What nobody else knows: tells its own requests from those of others, whose number is limited. */
  inside: string
}

const INSIDE = 'x-custodia-inside'

/** Whether a request came over `loopbackReach`. */
export const isOfLoopback = ({ headers }: IncomingMessage, inside: string): boolean =>
  headers[INSIDE] === inside

/**
 * The way to our own provider: requests to the public address go to the loopback address instead, so that neither a proxy nor the
 * name of the host needs to be reachable from here. Other addresses are refused.
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
