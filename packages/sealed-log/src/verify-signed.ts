import { readSigned, SIGNED_FILES, type SignedFact, type SignedFile } from '@custodia/contract'
import { concat, fromBase64, fromHex, type Sha256, toHex, utf8 } from './bytes.ts'
import { originOf, parseKey } from './note.ts'
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

/** A key that may have signed, and the log that it is for; a public key (PEM) is for all accounts. */
interface Signer {
  id: string
  origin: string | undefined
  public_key: Uint8Array
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
  const known = keys.flatMap((key) => signersIn(sha256, key)).filter(({ id }) => id === file.key_id)
  if (!known[0]) return verdict('unknown_key')
  const signature = fromBase64(file.signature ?? '') ?? utf8('')
  const isGood = signature.length === 64 && (await verify(known[0].public_key, utf8(file.body), signature))
  if (!isGood) return verdict('altered')
  // A server signs for all its accounts with the same key.
  const own = originOf(String(file.signed.client))
  return verdict(known.some(({ origin = own }) => origin === own) ? undefined : 'other_account')
}

function signersIn(sha256: Sha256, text: string): Signer[] {
  const log = parseKey(sha256, text.trim())
  const pems = text.matchAll(/-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----/g)
  const ders = log
    ? [concat(fromHex('302a300506032b6570032100') ?? utf8(''), log.public_key)]
    : [...pems].map(([, body = '']) => fromBase64(body.replaceAll(/\s|\\n/g, '')) ?? utf8(''))
  const idOf = (der: Uint8Array) => toHex(sha256(der)).slice(0, 32)
  return ders.map((der) => ({ id: idOf(der), origin: log?.name, public_key: der.slice(-32) }))
}

/** The facts of a signed document: texts, counts, and times in epoch seconds. */
export function factsOf({ format, signed }: SignedFile): Fact[] {
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
