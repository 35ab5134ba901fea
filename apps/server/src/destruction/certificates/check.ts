import { CERTIFICATE_FORMAT, DestructionCertificate } from '@custodia/contract'
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { keyIdOf } from '../../ports/keys/signing.ts'
import { canonical } from './canonical.ts'

/** What became of a certificate that was looked at. */
export type Checked =
  | { outcome: 'good'; certificate: DestructionCertificate['certificate']; key_id: string }
  | { outcome: 'altered' }
  | { outcome: 'unreadable' }
  | { outcome: 'unknown_key'; key_id: string }

/**
 * Holds a certificate as a file against public keys, without any server. Good is only what says nothing beside what was signed: a file that
 * says something twice, so that readers may differ, is altered.
 */
export function checkCertificate(text: string, publicKeys: readonly KeyObject[]): Checked {
  const file = parsed(text)
  if (!isCertificate(file)) return { outcome: 'unreadable' }
  const { certificate, signature } = file
  const key = publicKeys.find((each) => keyIdOf(each) === signature.key_id)
  if (!key) return { outcome: 'unknown_key', key_id: signature.key_id }
  const value = Buffer.from(signature.value, 'base64')
  // Base64 can be written in several ways, and is in one.
  const isPlain = value.toString('base64') === signature.value
  const isSigned = isPlain && verify(null, Buffer.from(canonical(certificate)), key, value)
  const isAll = saysOnce(text, file) && DestructionCertificate.safeParse(file).success
  return isSigned && isAll && key.asymmetricKeyType === 'ed25519'
    ? { outcome: 'good', certificate, key_id: signature.key_id }
    : { outcome: 'altered' }
}

/** The keys in a file: PEM, one or more, or what the call for keys answered. Throws where it has none. */
export function publicKeysIn(text: string): KeyObject[] {
  const pems = text
    .replaceAll(String.raw`\n`, '\n')
    .match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g)
  if (!pems) throw new Error('no public key (PEM) in it')
  return pems.map((pem) => createPublicKey(pem))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As far as it must be one to be asked for its signature. */
function isCertificate(file: unknown): file is DestructionCertificate {
  const { certificate, signature } = (file ?? {}) as Partial<DestructionCertificate>
  return (
    certificate?.format === CERTIFICATE_FORMAT &&
    typeof signature?.key_id === 'string' &&
    typeof signature.value === 'string'
  )
}

/** Whether a text has each member of what was read of it, and no other: `JSON.parse` keeps the last of two. */
function saysOnce(text: string, file: unknown): boolean {
  const plain = text.replaceAll('\r\n', '\n').trim()
  return [undefined, 2].some((indent) => JSON.stringify(file, null, indent) === plain)
}
