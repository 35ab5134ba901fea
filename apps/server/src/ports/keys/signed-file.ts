import { canonical } from '@custodia/contract'
import { type KeyObject, verify } from 'node:crypto'
import type { KeyProvider } from './port.ts'
import { keyIdOf } from './signing.ts'

/** The result of verifying a signed file. */
export type Checked<Result> =
  | { outcome: 'good'; result: Result; key_id: string }
  | { outcome: 'altered' }
  | { outcome: 'unreadable' }
  | { outcome: 'unknown_key'; key_id: string }

/**
 * A kind of signed file: its signed member, its format, and whether a file has exactly the required fields.
 */
export interface SignedKind<Name extends string, Result> {
  member: Name
  format: string
  isWhole(file: unknown): file is Record<Name, Result>
}

interface Signed {
  signature: { key_id: string; value: string }
}

/** A report with its signature over the canonical JSON (RFC 8785), which has whole numbers only. */
export async function signReport<Report extends object>(keys: Pick<KeyProvider, 'sign'>, report: Report) {
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
): Checked<Result> {
  const file = parsed(text)
  if (!isSigned(file, kind)) return { outcome: 'unreadable' }
  const { signature } = file
  const key = publicKeys.find((each) => keyIdOf(each) === signature.key_id)
  if (!key) return { outcome: 'unknown_key', key_id: signature.key_id }
  const value = Buffer.from(signature.value, 'base64')
  // Base64 has several spellings; only the canonical one is valid.
  const isPlain = value.toString('base64') === signature.value
  const isGood = isPlain && verify(null, Buffer.from(canonical(file[kind.member])), key, value)
  return isGood && saysOnce(text, file) && kind.isWhole(file) && key.asymmetricKeyType === 'ed25519'
    ? { outcome: 'good', result: file[kind.member], key_id: signature.key_id }
    : { outcome: 'altered' }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a value has the fields for a signature check. */
function isSigned<Name extends string>(
  file: unknown,
  { member, format }: Pick<SignedKind<Name, unknown>, 'member' | 'format'>,
): file is Record<Name, { format: string }> & Signed {
  const { [member]: result, signature } = (file ?? {}) as Partial<Record<Name, { format?: unknown }> & Signed>
  return (
    (result as { format?: unknown } | null | undefined)?.format === format &&
    typeof signature?.key_id === 'string' &&
    typeof signature.value === 'string'
  )
}

/** Whether a text has exactly the parsed members: `JSON.parse` keeps the last of two. */
function saysOnce(text: string, file: unknown): boolean {
  const plain = text.replaceAll('\r\n', '\n').trim()
  return [undefined, 2].some((indent) => JSON.stringify(file, null, indent) === plain)
}
