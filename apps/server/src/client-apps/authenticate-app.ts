import { type OidcConfig, text, type TOKEN_CHECKS } from '@custodia/contract'
import { admits, compileNetworks } from '@custodia/domain'
import type { FastifyRequest } from 'fastify'
import { compactVerify, decodeJwt, decodeProtectedHeader, errors } from 'jose'
import * as z from 'zod/mini'
import type { AccessCache } from '../access/load.ts'
import type { AppContext } from '../app-context.ts'
import { readOwnClient } from '../clients/store.ts'
import type { PortalUser } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { EgressProblem } from '../ports/egress/port.ts'
import { KeySetProblem, type KeySets, type PublicKeys } from './key-sets.ts'
import { findAppOfIdentity, writeLastSeen } from './store.ts'

/** Signatures by a private key only. `none`, and HMAC with a key that is published, are no signatures. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384']
/** Seconds by which clocks may differ. */
const CLOCK_SKEW = 30
/** Seconds that a token may live. */
const LONGEST = 86_400
/** Characters of a token. */
const TOKEN_LIMIT = 16_384

const Header = z.looseObject({ alg: z.string(), kid: z.optional(z.string().check(z.maxLength(512))) })
/** What identities are looked up by: neither control characters nor halves of characters. */
const claim = text(0, TOKEN_LIMIT)
const Claims = z.looseObject({
  iss: claim,
  aud: z.union([claim, z.array(claim)]),
  exp: z.optional(z.number()),
  nbf: z.optional(z.number()),
  iat: z.optional(z.number()),
})

type CheckName = (typeof TOKEN_CHECKS)[number]
interface Check {
  check: CheckName
  is_passed: boolean
  /** The fault, without any part of the token. */
  detail: string | null
}

interface CheckedToken {
  /** In their order, up to the first that fails. */
  checks: Check[]
  is_accepted: boolean
  /** Epoch seconds, when accepted. */
  expires_at: number | null
  /** Whether the keys could not be fetched, which is no verdict on the token. */
  is_unavailable: boolean
}

/** The unverified claims of a token. */
interface ReadToken {
  alg: string
  kid: string | undefined
  iss: string
  aud: string[]
  exp: number | undefined
  nbf: number | undefined
  iat: number | undefined
}

/** Reads a token without verifying it; undefined when it is none. */
function readToken(token: string): ReadToken | undefined {
  if (token.length > TOKEN_LIMIT) return undefined
  try {
    const { alg, kid } = Header.parse(decodeProtectedHeader(token))
    const { iss, aud, exp, nbf, iat } = Claims.parse(decodeJwt(token))
    return { alg, kid, iss, aud: typeof aud === 'string' ? [aud] : aud, exp, nbf, iat }
  } catch {
    return undefined
  }
}

/**
 * Checks a token against an identity step by step (contract: TOKEN_CHECKS), in tests and in calls alike. Algorithms
 * are pinned, issuer and audience must match exactly, and only keys of the configured address count. Never throws,
 * stores nothing.
 */
export async function checkToken(
  sets: KeySets,
  token: string,
  { issuer, audience, jwks_uri }: OidcConfig,
  now: number,
): Promise<CheckedToken> {
  const checks: Check[] = []
  const pass = (check: CheckName) => void checks.push({ check, is_passed: true, detail: null })
  const fail = (check: CheckName, detail: string, is_unavailable = false): CheckedToken => {
    checks.push({ check, is_passed: false, detail })
    return { checks, is_accepted: false, expires_at: null, is_unavailable }
  }
  const stated = readToken(token)
  if (!stated) return fail('shape', 'It is not a signed token (JWT) with an issuer and an audience.')
  pass('shape')
  if (!ALGORITHMS.includes(stated.alg))
    return fail('algorithm', `It must be signed with one of ${ALGORITHMS.join(', ')}.`)
  pass('algorithm')
  if (stated.iss !== issuer) return fail('issuer', 'It comes from another issuer.')
  pass('issuer')
  if (stated.aud.length !== 1 || stated.aud[0] !== audience)
    return fail('audience', 'It is meant for another audience.')
  pass('audience')
  let keys: PublicKeys
  try {
    keys = await sets.getKeys(jwks_uri, stated.kid, now)
  } catch (error) {
    if (error instanceof KeySetProblem) return fail('keys', 'The address has no set of public keys.', true)
    if (!(error instanceof EgressProblem)) throw error
    return error.isForbidden
      ? fail('keys', `The address of the keys must not be asked: ${error.reason}.`)
      : fail('keys', `The address of the keys does not answer as expected: ${error.reason}.`, true)
  }
  pass('keys')
  const fault = await signatureFault(token, keys)
  if (fault) return fail('signature', fault)
  pass('signature')
  const late = timeFault(stated, now)
  if (late) return fail('time', late)
  pass('time')
  return { checks, is_accepted: true, expires_at: stated.exp ?? null, is_unavailable: false }
}

async function signatureFault(token: string, keys: PublicKeys): Promise<string | undefined> {
  try {
    await compactVerify(token, keys, { algorithms: ALGORITHMS })
    return undefined
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey)
      return 'None of the published keys is the one that it names.'
    if (error instanceof errors.JWKSMultipleMatchingKeys)
      return 'It does not say which of the published keys signed it.'
    // Keys that are malformed or too weak make other errors than those of the library; none of them is a signature.
    return 'The signature is not by a published key.'
  }
}

function timeFault({ exp, nbf, iat }: ReadToken, now: number): string | undefined {
  if (exp === undefined || !Number.isInteger(exp)) return 'It does not say when it expires.'
  if (exp <= now - CLOCK_SKEW) return 'It has expired.'
  if (nbf !== undefined && nbf > now + CLOCK_SKEW) return 'It is not valid yet.'
  if (iat !== undefined && iat > now + CLOCK_SKEW) return 'It was issued in the future.'
  if (exp - (iat ?? now) > LONGEST + CLOCK_SKEW) return 'It lives longer than 24 hours.'
  return undefined
}

/** Seconds between two notes that an app was here. */
const SEEN_EVERY = 60

type AuthenticateApp = (
  token: string,
  client_id: number,
  at: { ip: string; now: number },
) => Promise<PortalUser | undefined>

/**
 * The client app of a token from its own issuer. The app is read again for every call, so that a change counts at
 * once; its own networks and the account's must both admit the caller. Undefined if no app of the client has this
 * issuer and audience. Problems: authentication_required, network_not_permitted, unavailable when its keys cannot be
 * fetched.
 */
export function appAuthentication(
  ctx: Pick<AppContext, 'db' | 'log'>,
  access: AccessCache,
  sets: KeySets,
): AuthenticateApp {
  return async (token, client_id, { ip, now }) => {
    const stated = readToken(token)
    const [audience, ...more] = stated?.aud ?? []
    if (!stated || audience === undefined || more.length > 0) return undefined
    const found = await ctx.db.read(client_id, async (q) => {
      const app = await findAppOfIdentity(q, { issuer: stated.iss, audience })
      return app && { app, client: await readOwnClient(q) }
    })
    if (!found?.client) return undefined
    const { app, client } = found
    const checked = await checkToken(sets, token, app.oidc_config, now)
    if (checked.is_unavailable) throw new Problem('unavailable', { detail: 'the keys of a client app' })
    if (!checked.is_accepted || checked.expires_at === null)
      throw new Problem('authentication_required', { detail: checked.checks.at(-1)?.check ?? 'shape' })
    const rights = await access.getAccess({
      client_id,
      epoch: client.access_epoch,
      roles: app.roles,
      groups: null,
      matters: null,
      ip,
    })
    const caller = {
      kind: 'portal',
      client_id,
      user_reference: app.app_reference,
      roles: app.roles,
      user_group: app.group,
      group_id: await access.getGroupId(client_id, client.access_epoch, app.group),
      is_client_app: true,
    } as const
    const own_networks = compileNetworks(app.cidr_ranges)
    if (!rights.is_network_allowed || !admits(own_networks, ip))
      throw new Problem('network_not_permitted', { caller })
    if (app.last_seen === null || now - app.last_seen >= SEEN_EVERY)
      await writeLastSeen(ctx.db, client_id, app.app_reference, now)
    return {
      ...caller,
      client: client.client,
      client_name: client.client_name,
      session_id: '',
      group_references: null,
      access: rights,
      own_networks,
      // An app accepts no terms; the user who created it has.
      terms_accepted_at: now,
      session_expires_at: checked.expires_at,
      // Not even an app of the provider's own client has a way into the internal area.
      is_provider: false,
    }
  }
}

/**
 * The app of a request's own token, for addresses without a client in their path, and the token's expiry (epoch
 * seconds). Undefined without such a token. Problems: as of `appAuthentication`.
 */
export function appOfRequest(authenticateApp: AuthenticateApp, now: () => number) {
  return async (
    request: FastifyRequest,
    client_id: number,
  ): Promise<{ app_reference: string; expires_at: number } | undefined> => {
    const token = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const app = token && (await authenticateApp(token, client_id, { ip: request.ip, now: now() }))
    if (!app) return undefined
    return { app_reference: app.user_reference, expires_at: app.session_expires_at + CLOCK_SKEW }
  }
}
