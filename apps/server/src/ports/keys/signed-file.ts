import { type KeyObject, verify } from 'node:crypto'
import { canonical, readSigned, type SignedFormat } from '@custodia/contract'
import type { KeyProvider } from './port.ts'
import { getKeyId } from './signing.ts'

/** The result of verifying a signed file. */
export type SignatureResult<Result> =
  | { outcome: 'good'; result: Result; key_id: string }
  | { outcome: 'altered' }
  | { outcome: 'unreadable' }
  | { outcome: 'unknown_key'; key_id: string }

/**
 * A kind of signed file: its signed member, its format, and whether a file has exactly the required fields.
 */
export interface SignedKind<Name extends string, Result> {
  member: Name
  format: SignedFormat
  isWhole(file: unknown): file is Record<Name, Result>
}

/** A report with its signature over the canonical JSON (RFC 8785), which has whole numbers only. */
export async function signReport<Report extends { format: SignedFormat }>(
  keys: Pick<KeyProvider, 'sign'>,
  report: Report,
) {
  const { key_id, signature } = await keys.sign(Buffer.from(canonical(report)))
  return { report, signature: { algorithm: 'Ed25519' as const, key_id, value: signature.toString('base64') } }
}

/**
 * Verifies a signed file against public keys, without a server. Extra or repeated fields count as altered,
 * because readers could interpret them differently.
 */
export function checkSigned<Name extends string, Result>(
  text: string,
  kind: SignedKind<Name, Result>,
  publicKeys: readonly KeyObject[],
): SignatureResult<Result> {
  const file = readSigned(text)
  if (file?.format !== kind.format) return { outcome: 'unreadable' }
  const { key_id, body, signature } = file
  const key = publicKeys.find((each) => getKeyId(each) === key_id)
  if (!key) return { outcome: 'unknown_key', key_id }
  const bytes = Buffer.from(signature ?? '', 'base64')
  // Base64 has several spellings; only the canonical one is valid.
  const isPlain = bytes.toString('base64') === signature && key.asymmetricKeyType === 'ed25519'
  const isGood = isPlain && verify(null, Buffer.from(body), key, bytes)
  const whole: unknown = isGood ? JSON.parse(text) : undefined
  return kind.isWhole(whole)
    ? { outcome: 'good', result: whole[kind.member], key_id }
    : { outcome: 'altered' }
}
