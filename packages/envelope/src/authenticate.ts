import { decodeBase64 } from './base64.ts'
import { EnvelopeError } from './envelope-error.ts'
import { assertKey, openBox, sealBox } from './gcm.ts'

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
/** base64 of 12 bytes iv, 26 bytes ulid, 16 bytes tag. */
const SEALED_LENGTH = 72

/**
 * `ulid_encrypted` of a device authentication: base64 of `iv12 | ciphertext | tag16`, AES-256-GCM under the account's 32-byte key with
 * the associated data `custodia/v1|authenticate|<account_reference>`. Freshness and single use are the server's to check.
 */
export function sealUlid(accountKey: Uint8Array, account_reference: string, ulid: string): string {
  assertKey(accountKey, 'the account key')
  if (!ULID.test(ulid)) throw new RangeError('not a ULID')
  return sealBox(accountKey, Buffer.from(ulid), aadOf(account_reference)).toString('base64')
}

/** The ULID of `ulid_encrypted`. Throws `tampered` when it does not open under this key and account, or holds no ULID. */
export function openUlid(accountKey: Uint8Array, account_reference: string, ulid_encrypted: string): string {
  assertKey(accountKey, 'the account key')
  const box = ulid_encrypted.length === SEALED_LENGTH ? decodeBase64(ulid_encrypted) : undefined
  const ulid = box && openBox(accountKey, box, aadOf(account_reference))?.toString('latin1')
  if (!ulid || !ULID.test(ulid)) {
    throw new EnvelopeError('tampered', 'ulid_encrypted does not hold a ULID for this account')
  }
  return ulid
}

function aadOf(account_reference: string): Buffer {
  if (!account_reference.isWellFormed()) throw new RangeError('account_reference is not well-formed Unicode')
  return Buffer.from(`custodia/v1|authenticate|${account_reference}`)
}
