import { hash } from 'node:crypto'
import { ID_TOKEN_SECONDS } from '@custodia/contract'
import { errors, jwtVerify, SignJWT } from 'jose'
import * as z from 'zod/mini'
import type { SigningKey } from '../ports/identity/signing-keys.ts'

const AUDIENCE = 'custodia-portal'
/** Distinguishes these tokens from others under the same key. */
const TOKEN_USE = 'portal'
/** Verified tokens remembered; verifying costs forty times as much as looking up. */
const REMEMBERED = 10_000

/** What our id token says. Roles are not in it: they are read from the session with every request. */
export interface IdTokenClaims {
  user_reference: string
  client: string
  client_id: number
  session_id: string
}

export interface IdTokens {
  issue(claims: IdTokenClaims, now: number): Promise<string>
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
    issue: ({ user_reference, client, client_id, session_id }, now) =>
      new SignJWT({ client, tenant: client_id, sid: session_id, token_use: TOKEN_USE })
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' })
        .setSubject(user_reference)
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setIssuedAt(now)
        .setExpirationTime(now + ID_TOKEN_SECONDS)
        .sign(key.privateKey),

    async verify(token, now) {
      const digest = hash('sha256', token, 'base64')
      const known = verified.get(digest)
      if (known) return known.exp > now ? known.claims : undefined
      const payload = await payloadOf(token, now)
      if (!payload) return undefined
      const { sub, client, tenant, sid, exp } = payload
      const claims = { user_reference: sub, client, client_id: tenant, session_id: sid }
      const [oldest] = verified.keys()
      if (verified.size >= REMEMBERED && oldest !== undefined) verified.delete(oldest)
      verified.set(digest, { claims, exp })
      return claims
    },
  }

  async function payloadOf(token: string, now: number) {
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
