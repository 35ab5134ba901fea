import type { IncomingMessage, ServerResponse } from 'node:http'
import { SIGN_IN_PATH } from '@custodia/contract'
import type { Provider } from 'oidc-provider'
import type { Database } from '../database/pool.ts'
import type { KeyProvider } from '../keys/port.ts'
import { getAccountId, INTERACTION_PATH, interactionPages, type RefusedSignIn } from './interaction.ts'
import { getItems } from './items.ts'
import { expiredPage, pageLocale, renderPage } from './page.ts'
import { findPerson } from './people.ts'
import { signingKey } from './signing-keys.ts'

/** The redirect address of a provider: the portal, or a program on the browser's machine. */
export function returnAddress(publicUrl: string, local_port?: number): string {
  return local_port === undefined ? `${publicUrl}${SIGN_IN_PATH}` : `http://127.0.0.1:${local_port}/`
}

/** Whether `address` is exactly one of those. */
export function isReturnAddress(address: string, publicUrl: string): boolean {
  if (address === returnAddress(publicUrl)) return true
  const port = Number(/^http:\/\/127\.0\.0\.1:([1-9]\d{3,4})\/$/.exec(address)?.[1] ?? 0)
  return port >= 1024 && port <= 65_535
}

/** The portal as a client of the provider. */
const EMBEDDED_CLIENT_ID = 'portal'
/** The app on devices, a public client. */
const DEVICE_CLIENT_ID = 'devices'
const HOURS_12 = 12 * 3600

interface EmbeddedOptions {
  db: Database
  keys: KeyProvider
  /** Origin under which browsers reach the portal; the issuer is this followed by `/oidc`. */
  publicUrl: string
  /** Epoch seconds. */
  now: () => number
  /** Whether the page fills in the password of a demo user who was chosen at the portal. */
  isDemo?: boolean
  /** Address of the caller, proxies resolved. Default: the peer of the socket. */
  getAddress?: (request: IncomingMessage) => string
  /** Called for refused sign-ins of known people; for the audit log. */
  onRefused?: (refused: RefusedSignIn) => Promise<void>
  /** Called on faults of the provider itself. */
  onFault?: (error: Error) => void
}

export interface EmbeddedProvider {
  issuer: string
  client_id: string
  client_secret: string
  device_client_id: string
  /** Answers every request whose path starts with `/oidc/`. */
  listener: (request: IncomingMessage, response: ServerResponse) => void
}

/**
 * An OpenID provider in this process, for installations without another one. It keeps no session of its own
 * and always asks for the password, so signing out of the portal is complete and another person can sign in.
 */
export async function embeddedProvider(options: EmbeddedOptions): Promise<EmbeddedProvider> {
  const { db, keys, publicUrl, now } = options
  const issuer = embeddedIssuer(publicUrl)
  const client_secret = (await keys.namedSecret('oidc-client')).toString('base64url')
  // An installation with an identity provider of its own never loads it.
  const { Provider: OpenIdProvider } = await import('oidc-provider')
  const provider = new OpenIdProvider(issuer, await getConfiguration(options, client_secret))
  // Links are built from these headers, which the listener sets; a caller cannot change our address.
  provider.proxy = true
  provider.Client.prototype.redirectUriAllowed = (uri) => isReturnAddress(uri, publicUrl)
  const fault = (error: Error) => options.onFault?.(error)
  provider.on('server_error', (_context, error) => fault(error))
  const pages = interactionPages(provider, {
    db,
    publicUrl,
    now,
    isDemo: options.isDemo ?? false,
    getAddress: options.getAddress ?? ((request) => request.socket.remoteAddress ?? ''),
    onRefused: options.onRefused ?? (async () => {}),
  })
  const answer = provider.callback()
  const { host, protocol } = new URL(publicUrl)

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const { headers } = request
    headers.host = headers['x-forwarded-host'] = host
    headers['x-forwarded-proto'] = protocol.slice(0, -1)
    headers.cookie = withoutSession(headers.cookie)
    const url = withoutSurplus(request.url ?? '')
    const done = url.startsWith(INTERACTION_PATH)
      ? pages(request, response)
      : answer(Object.assign(request, { originalUrl: url, url: url.slice('/oidc'.length) }), response)
    done.catch((error: unknown) => {
      fault(error instanceof Error ? error : new Error(String(error)))
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  }
  return {
    issuer,
    client_id: EMBEDDED_CLIENT_ID,
    client_secret,
    device_client_id: DEVICE_CLIENT_ID,
    listener,
  }
}

/** Issuer of the embedded provider. */
export const embeddedIssuer = (publicUrl: string): string => `${publicUrl}/oidc`

/**
 * The address of a sign-in step carries only the sign-in. An additional client on an expired sign-in would
 * cause a fault of the provider (500).
 */
const withoutSurplus = (url: string): string =>
  url.startsWith('/oidc/auth/') ? (url.split('?')[0] ?? '') : url

const SESSION_COOKIE = 'custodia_oidc_session'

/** An earlier sign-in never counts (see above), so the provider does not see it. */
function withoutSession(cookie: string | undefined): string {
  const pairs = (cookie ?? '').split(/;\s*/)
  return pairs.filter((pair) => !pair.startsWith(SESSION_COOKIE)).join('; ')
}

/** Lifetimes of what the provider issues, in seconds. */
const LIFETIMES = {
  AuthorizationCode: 60,
  AccessToken: 300,
  IdToken: 300,
  Interaction: 600,
  RefreshToken: HOURS_12,
  Session: HOURS_12,
  Grant: HOURS_12,
}

function getClients(publicUrl: string, client_secret: string) {
  return [
    {
      client_id: EMBEDDED_CLIENT_ID,
      client_secret,
      redirect_uris: [returnAddress(publicUrl)],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'RS256',
    },
    {
      client_id: DEVICE_CLIENT_ID,
      // A local program on the browser's machine; everyone gives the password, so it needs no further
      // consent.
      redirect_uris: [returnAddress(publicUrl)],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'RS256',
    },
  ]
}

async function getConfiguration(
  { db, keys, publicUrl, now }: EmbeddedOptions,
  client_secret: string,
): Promise<Record<string, unknown>> {
  const key = await signingKey(db, keys, 'oidc', now())
  const cookieKey = (await keys.namedSecret('oidc-cookies')).toString('base64url')
  const off = { enabled: false }
  return {
    adapter: getItems(db, now),
    clients: getClients(publicUrl, client_secret),
    jwks: { keys: [{ ...key.privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: key.kid }] },
    cookies: {
      keys: [cookieKey],
      names: {
        session: SESSION_COOKIE,
        interaction: 'custodia_oidc_interaction',
        resume: 'custodia_oidc_resume',
      },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    pkce: { required: () => true },
    scopes: ['openid'],
    extraParams: ['client'],
    claims: {
      openid: [
        'sub',
        'client',
        'user_reference',
        'name',
        'roles',
        'user_group',
        'groups',
        'email',
        'email_verified',
      ],
    },
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, id: string) => findAccount(db, id),
    loadExistingGrant,
    // Refresh tokens stay on the server and live as long as a session.
    issueRefreshToken: async () => true,
    rotateRefreshToken: false,
    formats: {
      // Codes of 36 characters (spec section 3).
      bitsOfOpaqueRandomness: (_context: unknown, token: { kind: string }) =>
        token.kind === 'AuthorizationCode' ? 216 : 256,
    },
    ttl: LIFETIMES,
    interactions: {
      url: (_context: unknown, interaction: { uid: string }) => INTERACTION_PATH + interaction.uid,
    },
    renderError: async (context: RenderContext) => {
      const page = expiredPage(pageLocale(undefined, context.get('accept-language')), `${publicUrl}/sign-in`)
      const { body, headers } = renderPage(page)
      for (const [name, value] of Object.entries(headers)) context.set(name, value)
      context.body = body
    },
    features: {
      devInteractions: off,
      pushedAuthorizationRequests: off,
      resourceIndicators: off,
      rpInitiatedLogout: off,
      dPoP: off,
      revocation: {
        enabled: true,
        allowedPolicy: (_context: unknown, client: { clientId: string }, token: { clientId: string }) =>
          token.clientId === client.clientId,
      },
    },
  }
}

interface RenderContext {
  body: unknown
  get(name: string): string
  set(name: string, value: string): void
}

async function findAccount(db: Database, id: string) {
  const slash = id.indexOf('/')
  const person = await findPerson(db, id.slice(0, slash), id.slice(slash + 1))
  if (!person) return undefined
  const { client, user_reference, display_name, roles, user_group, groups, email } = person
  return {
    accountId: getAccountId(client, user_reference),
    claims: async () => ({
      sub: id,
      client,
      user_reference,
      roles,
      ...(display_name === null ? {} : { name: display_name }),
      ...(user_group === null ? {} : { user_group }),
      ...(groups === null ? {} : { groups }),
      ...(email === null ? {} : { email, email_verified: true }),
    }),
  }
}

/** The portal belongs to the product, so the provider asks for no consent. */
async function loadExistingGrant(context: GrantContext) {
  const { client, session, provider } = context.oidc
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope('openid')
  await grant.save()
  return grant
}

interface GrantContext {
  oidc: { client: { clientId: string }; session: { accountId: string }; provider: Provider }
}
