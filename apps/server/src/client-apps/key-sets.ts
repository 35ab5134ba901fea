import { createLocalJWKSet, errors, type FlattenedJWSInput, type JWSHeaderParameters } from 'jose'
import * as z from 'zod/mini'
import { cacheEntry } from '../ports/cache.ts'
import type { Egress } from '../ports/egress/port.ts'

/** Seconds for which a key set is believed without asking again. */
const FRESH = 300
/** Minimum seconds between two fetches of one address. */
const PAUSE = 30
/** Key sets kept, the oldest forgotten first. */
const MAX = 500

const KeySet = z.object({
  keys: z.array(z.looseObject({ kty: z.string() })).check(z.minLength(1), z.maxLength(100)),
})

/** The published keys of one issuer. Throws a JOSEError when none fits. */
export type PublicKeys = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>

interface CachedKeySet {
  keys: PublicKeys
  kids: ReadonlySet<string>
  fetched_at: number
}

interface Entry {
  kept: CachedKeySet | undefined
  asked_at: number
  failure: unknown
  asking: Promise<void> | undefined
}

export interface KeySets {
  /**
   * The keys at an address, at most five minutes old. A missing key causes one fetch per 30 seconds at most, so that
   * made-up key ids cannot flood the issuer. Throws EgressProblem, or KeySetProblem when it is no key set.
   */
  getKeys(jwks_uri: string, kid: string | undefined, now: number): Promise<PublicKeys>
}

/** What an address answers is no set of public keys. */
export class KeySetProblem extends Error {
  constructor() {
    super('not a set of public keys')
    this.name = 'KeySetProblem'
  }
}

/** Key sets of client apps, read through the guard of outgoing requests. */
export function keySets(egress: Egress): KeySets {
  const entries = new Map<string, Entry>()

  function getEntry(jwks_uri: string): Entry {
    const known = entries.get(jwks_uri)
    if (known) return known
    const entry: Entry = {
      kept: undefined,
      asked_at: Number.NEGATIVE_INFINITY,
      failure: undefined,
      asking: undefined,
    }
    cacheEntry(entries, jwks_uri, entry, MAX)
    return entry
  }

  async function ask(entry: Entry, jwks_uri: string, now: number): Promise<void> {
    entry.asked_at = now
    try {
      entry.kept = { ...getPublicKeys(await egress.fetchJson(jwks_uri)), fetched_at: now }
      entry.failure = undefined
    } catch (error) {
      entry.failure = error
    }
  }

  return {
    async getKeys(jwks_uri, kid, now) {
      const entry = getEntry(jwks_uri)
      const isFresh = entry.kept !== undefined && now - entry.kept.fetched_at < FRESH
      const isKnown = kid === undefined || entry.kept?.kids.has(kid)
      if (!(isFresh && isKnown) && now - entry.asked_at >= PAUSE)
        entry.asking ??= ask(entry, jwks_uri, now).finally(() => (entry.asking = undefined))
      await entry.asking
      const { kept, failure } = entry
      // Old keys expire even when the issuer does not answer: one of them may have been withdrawn.
      if (kept && now - kept.fetched_at < FRESH) return kept.keys
      throw failure ?? new KeySetProblem()
    },
  }
}

function getPublicKeys(answer: unknown): Pick<CachedKeySet, 'keys' | 'kids'> {
  const parsed = KeySet.safeParse(answer)
  if (!parsed.success) throw new KeySetProblem()
  // With a published shared secret, any attacker could sign.
  const keys = parsed.data.keys.filter((key) => key.kty === 'RSA' || key.kty === 'EC')
  if (keys.length === 0) throw new KeySetProblem()
  const kids = keys.flatMap((key) => (typeof key['kid'] === 'string' ? [key['kid']] : []))
  try {
    return { keys: createLocalJWKSet({ keys }), kids: new Set(kids) }
  } catch (error) {
    // Values nested too deeply to be copied.
    throw error instanceof errors.JWKSInvalid ? new KeySetProblem() : error
  }
}
