import { type OidcConfig, text, type TOKEN_CHECKS } from '@custodia/contract'
import { compactVerify, decodeJwt, decodeProtectedHeader, errors } from 'jose'
import * as z from 'zod/mini'
import { EgressProblem } from '../ports/egress/port.ts'
import { type KeySets, KeySetProblem, type PublicKeys } from './key-sets.ts'

/** Signatures by a private key only. `none`, and HMAC with a key that is published, are no signatures. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384']
/** Seconds by which clocks may differ. */
export const CLOCK_SKEW = 30
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
export interface Check {
  check: CheckName
  is_passed: boolean
  /** The fault, without any part of the token. */
  detail: string | null
}

export interface CheckedToken {
  /** In their order, up to the first that fails. */
  checks: Check[]
  is_accepted: boolean
  /** Epoch seconds, when accepted. */
  expires_at: number | null
  /** Whether the keys could not be fetched, which is no verdict on the token. */
  is_unavailable: boolean
}

/** The unverified claims of a token. */
export interface ReadToken {
  alg: string
  kid: string | undefined
  iss: string
  aud: string[]
  exp: number | undefined
  nbf: number | undefined
  iat: number | undefined
}

/** Reads a token without verifying it; undefined when it is none. */
export function readToken(token: string): ReadToken | undefined {
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
    keys = await sets.keysOf(jwks_uri, stated.kid, now)
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
