import { hash } from 'node:crypto'
import { ID_TOKEN_SECONDS, REVIEWED_PEOPLE } from '@custodia/contract'
import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose'
import * as z from 'zod/mini'
import type { AccessCache } from '../access/load.ts'
import type { AppContext } from '../app-context.ts'
import { type Client, findClient } from '../clients/store.ts'
import type { PortalContext } from '../http/context.ts'
import type { KnownClaims } from '../identity-providers/store.ts'
import { cacheEntry } from '../ports/cache.ts'
import { returnAddress } from '../ports/identity/embedded.ts'
import type { IdentityProvider, ProviderTokens } from '../ports/identity/port.ts'
import type { Seal } from '../ports/identity/sealed.ts'
import type { SigningKey } from '../ports/identity/signing-keys.ts'
import type { CookieHalves, Cookies } from './cookies.ts'
import { listLastSessions } from './people-store.ts'
import { endSession, endSessionsOf, findProviderTokens } from './store.ts'

const AUDIENCE = 'custodia-portal'
/** Distinguishes these tokens from others under the same key. */
const TOKEN_USE = 'portal'
/** Verified tokens that are cached; verifying costs forty times as much as looking up. */
const CACHED = 10_000

/** What our id token says. Roles are not in it: they are read from the session with every request. */
interface IdTokenClaims {
  user_reference: string
  client: string
  client_id: number
  session_id: string
}

interface IdTokens {
  /** @param seconds life of the token */
  issue(claims: IdTokenClaims, now: number, seconds?: number): Promise<string>
  /** The claims, or undefined for a token that is not ours, not for the portal, altered or expired. */
  verify(token: string, now: number): Promise<IdTokenClaims | undefined>
}

const Payload = z.object({
  sub: z.string(),
  client: z.string(),
  tenant: z.int(),
  sid: z.string(),
  exp: z.int(),
  token_use: z.literal(TOKEN_USE),
})

/** Id tokens for the portal: RS256, five minutes (reading-the-spec: identity). `issuer` is the portal's own address. */
export function idTokens(key: SigningKey, issuer: string): IdTokens {
  const verified = new Map<string, { claims: IdTokenClaims; exp: number }>()

  return {
    issue: ({ user_reference, client, client_id, session_id }, now, seconds = ID_TOKEN_SECONDS) =>
      new SignJWT({ client, tenant: client_id, sid: session_id, token_use: TOKEN_USE })
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' })
        .setSubject(user_reference)
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setIssuedAt(now)
        .setExpirationTime(now + seconds)
        .sign(key.privateKey),

    async verify(token, now) {
      const digest = hash('sha256', token, 'base64')
      const known = verified.get(digest)
      if (known) return known.exp > now ? known.claims : undefined
      const payload = await getPayload(token, now)
      if (!payload) return undefined
      const { sub, client, tenant, sid, exp } = payload
      const claims = { user_reference: sub, client, client_id: tenant, session_id: sid }
      cacheEntry(verified, digest, { claims, exp }, CACHED)
      return claims
    },
  }

  async function getPayload(token: string, now: number) {
    try {
      const { payload } = await jwtVerify(token, key.publicKey, {
        issuer,
        audience: AUDIENCE,
        algorithms: ['RS256'],
        currentDate: new Date(now * 1000),
      })
      return Payload.safeParse(payload).data
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}

/** What the calls of this folder work with. */
export interface SessionServices {
  ctx: AppContext
  access: AccessCache
  /** Finds where the people of a client sign in. */
  providers: (client: Client) => Promise<IdentityProvider>
  tokens: IdTokens
  halves: CookieHalves
  cookies: Cookies
  seal: Seal
}

/** Longest life of a session, in seconds, however often it is refreshed. */
export const SESSION_SECONDS = 12 * 3600

/** Purposes for which something is sealed. */
export const SEALED = { sign_in: 'sign-in', provider_tokens: 'provider-tokens' } as const

const Kept = z.object({
  issuer: z.string(),
  refresh_token: z.optional(z.string()),
  id_token: z.optional(z.string()),
})

/** What a session keeps of its provider. Only that very provider may ever see it again. */
interface KeptTokens extends ProviderTokens {
  issuer: string
}

/** Seals tokens of `provider` for the session's row, until `expires_at` (epoch seconds). */
export const sealProviderTokens = (
  seal: Seal,
  provider: Pick<IdentityProvider, 'issuer'>,
  tokens: ProviderTokens,
  expires_at: number,
): Promise<string> => seal.seal(SEALED.provider_tokens, { ...tokens, issuer: provider.issuer }, expires_at)

/** Opens the session's provider tokens; undefined when there are none (left). */
export async function readProviderTokens(
  seal: Seal,
  sealed: string | null,
  now: number,
): Promise<KeptTokens | undefined> {
  if (sealed === null) return undefined
  return Kept.safeParse(await seal.open(SEALED.provider_tokens, sealed, now)).data
}

/** Reads the claims that sessions keep. Each id token was verified when it came. */
export function knownClaims({ ctx, seal }: Pick<SessionServices, 'ctx' | 'seal'>): KnownClaims {
  const getClaims = async (sealed: string | null, now: number) => {
    const tokens = await readProviderTokens(seal, sealed, now)
    return tokens?.id_token === undefined ? undefined : decodeJwt(tokens.id_token)
  }
  return {
    ofCaller: async ({ caller, now }) => getClaims(await findProviderTokens(ctx.db, caller.session_id), now),
    async ofPeople(q) {
      const sessions = await listLastSessions(q)
      const people = sessions
        .slice(0, REVIEWED_PEOPLE)
        // As of no time: most of these sessions have ended.
        .map(async ({ provider_tokens, ...person }) => ({
          ...person,
          claims: await getClaims(provider_tokens, 0),
        }))
      return { people: await Promise.all(people), others: Math.max(0, sessions.length - REVIEWED_PEOPLE) }
    },
  }
}

/**
 * Ends this session, or all of the caller's. A provider that cannot be reached does not stop the sign-out; the
 * failure is logged.
 */
export async function signOut(
  services: SessionServices,
  context: PortalContext,
  everywhere: boolean,
): Promise<{ sign_out_url?: string }> {
  const { cookies, ctx } = services
  const { caller, now } = context
  const ended = await context.write((tx) =>
    everywhere
      ? endSessionsOf(tx, caller.user_reference, now)
      : endSession(tx, caller.session_id, 'signed_out', now),
  )
  void context.reply.header('set-cookie', cookies.removeSession(caller.session_id))
  const answers = await revokeAtProvider(services, context, ended, (provider, tokens, session) =>
    session.session_id === caller.session_id
      ? provider.signOutUrl(tokens, returnAddress(ctx.config.publicUrl))
      : undefined,
  )
  const sign_out_url = answers.find((each) => each !== undefined)
  return sign_out_url === undefined ? {} : { sign_out_url }
}

/**
 * Revokes the tokens of ended sessions at the provider, and calls its further sign-out endpoints; a failure is
 * logged.
 */
export async function revokeAtProvider<Session extends { provider_tokens: string | null }>(
  { ctx, providers, seal }: Pick<SessionServices, 'ctx' | 'providers' | 'seal'>,
  { caller, now }: Pick<PortalContext, 'caller' | 'now'>,
  ended: readonly Session[],
  also?: (
    provider: IdentityProvider,
    tokens: ProviderTokens,
    session: Session,
  ) => Promise<string | undefined> | undefined,
): Promise<(string | undefined)[]> {
  const client = await findClient(ctx.db, caller.client)
  if (!client) throw new Error(`client ${caller.client} is gone`)
  const provider = await providers(client)
  const revoke = async (session: Session): Promise<string | undefined> => {
    const tokens = await readProviderTokens(seal, session.provider_tokens, now)
    if (tokens?.issuer !== provider.issuer) return undefined
    await provider.revoke(tokens)
    return also?.(provider, tokens, session)
  }
  const answers = await Promise.allSettled(ended.map(revoke))
  const failed = answers.find((each) => each.status === 'rejected')
  if (failed) ctx.log.warn({ err: failed.reason }, 'the identity provider was not notified of a sign-out')
  return answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
}
