import { createRemoteJWKSet, customFetch as jwksFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { EgressProblem } from '../egress/port.ts'
import { ProviderUnavailable, SignInRefused } from './port.ts'

/** The address of a provider, and our credentials. */
export interface ProviderConfig {
  issuer: string
  client_id: string
  client_secret: string | undefined
}

/** The transport to a provider: through the egress guard, or over loopback to our own. */
export interface Reach {
  readonly fetch: typeof fetch
  /** Whether browsers may be redirected to an address of the provider. */
  admits(address: string): boolean
}

/** Accepted signatures; never `none` and never a shared secret. */
const ALGORITHMS = ['RS256', 'ES256', 'PS256']
/** Seconds after which the provider's metadata is fetched again. */
const DISCOVERY_AGE = 3600
const TIMEOUT_S = 10
const CLOCK_TOLERANCE_S = 5
/** The metadata and keys of a provider. */
export interface DiscoveredProvider {
  config: oidc.Configuration
  jwks: ReturnType<typeof createRemoteJWKSet>
}

/** Fetches the metadata of a provider, once an hour. Throws ProviderUnavailable. */
export function discovery(provider: ProviderConfig, reach: Reach): () => Promise<DiscoveredProvider> {
  let known: { at: number; value: Promise<DiscoveredProvider> } | undefined

  const discovered = (): Promise<DiscoveredProvider> => {
    const now = performance.now() / 1000
    if (!known || now - known.at > DISCOVERY_AGE) {
      const value = discover()
      known = { at: now, value }
      // Failures are not cached.
      value.catch(() => (known = undefined))
    }
    return known.value
  }

  async function discover(): Promise<DiscoveredProvider> {
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
          // The transport enforces TLS where it is needed.
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

  return discovered
}

/**
 * The verified claims of an id token that the provider issued to this client. Throws SignInRefused and errors
 * of the library, for `refuse`.
 */
export async function verifyIdToken(
  { config, jwks }: DiscoveredProvider,
  id_token: string,
  { client_id, nonce }: { client_id: string; nonce: string | undefined },
): Promise<JWTPayload> {
  const { payload, protectedHeader } = await jwtVerify(id_token, jwks, {
    issuer: config.serverMetadata().issuer,
    audience: client_id,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_S,
    requiredClaims: ['sub', 'iat', 'exp'],
  })
  if ((protectedHeader.typ ?? 'JWT').toUpperCase() !== 'JWT')
    throw new SignInRefused('the token is of another kind')
  if (nonce !== undefined && payload.nonce !== nonce) throw new SignInRefused('the nonce is not ours')
  return payload
}

/**
 * Sends the secret in the form where the provider permits it, else in the header. The header needs escaping
 * (RFC 6749 2.3.1), which some providers do not undo: LemonLDAP::NG fails on any `-`.
 */
function secretAuthentication(client_secret: string): oidc.ClientAuth {
  const [inForm, inHeader] = [oidc.ClientSecretPost(client_secret), oidc.ClientSecretBasic(client_secret)]
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = [] } = server
    const authenticate = methods.includes('client_secret_post') ? inForm : inHeader
    return authenticate(server, client, body, headers)
  }
}

/** OAuth errors that refuse the person or the grant; others are a fault between the provider and us. */
const REFUSALS: ReadonlySet<string> = new Set([
  'invalid_grant',
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
])

/** Classifies errors: only a clear refusal of the provider ends a sign-in. The message carries no secret. */
export function refuse(error: unknown): never {
  if (error instanceof SignInRefused || error instanceof ProviderUnavailable) throw error
  const blocked = getEgressProblem(error)
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

/** The egress guard's problem; libraries wrap it in errors of their own. */
function getEgressProblem(error: unknown): EgressProblem | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof EgressProblem) return each
  }
  return undefined
}
