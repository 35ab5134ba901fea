import { EnvelopeError } from './envelope-error.ts'
import { assertKey, openBox, sealBox } from './gcm.ts'

const VERSION = Buffer.from([1])

/**
 * A small secret (a DEK, a private key) under a 32-byte master key: `1 | iv12 | ciphertext | tag16`, AES-256-GCM. `aad` names the
 * place where it is stored, so that blobs cannot be exchanged; the version byte is authenticated in front of it.
 */
export function wrapSecret(masterKey: Uint8Array, plaintext: Uint8Array, aad: Uint8Array): Buffer {
  assertKey(masterKey, 'the master key')
  return sealBox(masterKey, plaintext, Buffer.concat([VERSION, aad]), VERSION)
}

/** The secret of a blob made by `wrapSecret`. Throws `undecryptable_key`. */
export function unwrapSecret(masterKey: Uint8Array, blob: Uint8Array, aad: Uint8Array): Buffer {
  assertKey(masterKey, 'the master key')
  if (blob[0] !== VERSION[0]) {
    throw new EnvelopeError(
      'undecryptable_key',
      `a wrapped secret of unknown version ${blob[0] ?? '(empty)'}`,
    )
  }
  const secret = openBox(masterKey, blob.subarray(1), Buffer.concat([VERSION, aad]))
  if (!secret) {
    throw new EnvelopeError(
      'undecryptable_key',
      'a wrapped secret does not open with this master key and place',
    )
  }
  return secret
}
