import { readSigned, SIGNED_FILES, type SignedFact, type SignedFile } from '@custodia/contract'
import { concat, fromBase64, toHex, utf8 } from './bytes.ts'
import { ED25519_SPKI, keysIn, getOrigin } from './note.ts'
import type { BagCrypto } from './verify-bag.ts'

/** Why a signed document is not good, in words for an auditor. */
export const SIGNED_FAULTS = {
  altered: 'it does not contain what was signed',
  unknown_key: 'it is signed with another key than yours',
  other_account: 'your key is of another account',
} as const

/** The verdict on a signed document; `fault` is undefined for a good one. */
export interface SignedVerdict extends SignedFile {
  fault: keyof typeof SIGNED_FAULTS | undefined
}

/** A fact for people. */
interface Fact {
  name: SignedFact
  value: string | number
  isTime: boolean
}

type Platform = Pick<BagCrypto, 'sha256' | 'verify'>
type Json = Readonly<Record<string, unknown>>

/** Verifies a signed document with keys of a log or public keys (PEM); undefined for another text. */
export async function verifySigned({ sha256, verify }: Platform, text: string, keys: readonly string[]) {
  const file = readSigned(text)
  if (!file) return undefined
  const verdict = (fault: SignedVerdict['fault']): SignedVerdict => ({ ...file, fault })
  const own = getOrigin(String(file.signed.client))
  const getId = (key: Uint8Array) => toHex(sha256(concat(ED25519_SPKI, key))).slice(0, 32)
  const known = keys
    .flatMap((key) => keysIn(sha256, key, own))
    .filter(({ public_key }) => getId(public_key) === file.key_id)
  if (!known[0]) return verdict('unknown_key')
  const signature = fromBase64(file.signature ?? '') ?? utf8('')
  const isGood = signature.length === 64 && (await verify(known[0].public_key, utf8(file.body), signature))
  if (!isGood) return verdict('altered')
  // A server signs for all its accounts with the same key.
  return verdict(known.some(({ name }) => name === own) ? undefined : 'other_account')
}

/** The facts of a signed document: texts, counts, and times in epoch seconds. */
export function getFacts({ format, signed }: SignedFile): Fact[] {
  // A report has most of them in its subject.
  const session = Object(signed.session) as Json
  const all = { ...Object(session.request), ...session, ...Object(signed.recertification), ...signed } as Json
  return (['client', 'issued_at', ...SIGNED_FILES[format].facts] as const).flatMap((name) => {
    const { [name]: found } = all
    const value = Array.isArray(found) ? found.length : found
    const isTime = typeof value === 'number' && /(?:_at|from|to|day)$/.test(name)
    return typeof value === 'string' || typeof value === 'number' ? [{ name, value, isTime }] : []
  })
}
