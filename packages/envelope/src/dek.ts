import {
  constants,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  publicEncrypt,
  randomBytes,
  webcrypto,
} from 'node:crypto'
import { promisify } from 'node:util'
import { decodeBase64 } from './base64.ts'
import { EnvelopeError } from './envelope-error.ts'
import { assertKey } from './gcm.ts'

const DEK_SIZE = 32
/** RSA-OAEP-256 of RFC 7518: SHA-256 as hash and in MGF1, empty label. */
const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }

/** A fresh data encryption key: 32 random bytes. One DEK seals one stream and, at most, the meta that belongs to it. */
export function newDek(): Buffer {
  return randomBytes(DEK_SIZE)
}

/** A client's key pair for `encrypted_dek`: RSA 3072, the public half as SPKI PEM as phones receive it (`kek`). */
export async function newKeyPair(): Promise<{ publicKeyPem: string; privateKey: KeyObject }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 3072 })
  return { publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(), privateKey }
}

/** `encrypted_dek`: the DEK under RSA-OAEP-256, in base64. Throws `undecryptable_key` for a PEM that is not an RSA key of 2048 bits or more. */
export function wrapDek(publicKeyPem: string, dek: Uint8Array): string {
  assertKey(dek, 'the DEK')
  return publicEncrypt({ ...OAEP, key: rsaPublicKey(publicKeyPem) }, dek).toString('base64')
}

function rsaPublicKey(pem: string): KeyObject {
  let key: KeyObject
  try {
    key = createPublicKey(pem)
  } catch {
    throw new EnvelopeError('undecryptable_key', 'the key to encrypt to is not a PEM public key')
  }
  if (key.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) {
    throw new EnvelopeError('undecryptable_key', 'the key to encrypt to is not RSA of 2048 bits or more')
  }
  return key
}

/**
 * The DEK of `encrypted_dek`, unwrapped in a thread: it takes milliseconds. Rejects with `undecryptable_key`, with one message for every
 * cause, so that it is no oracle.
 */
export async function unwrapDek(privateKey: KeyObject, encrypted_dek: string): Promise<Buffer> {
  try {
    const wrapped = decodeBase64(encrypted_dek)
    const dek =
      wrapped && Buffer.from(await webcrypto.subtle.decrypt(RSA_OAEP, threaded(privateKey), wrapped))
    if (dek?.length === DEK_SIZE) return dek
  } catch {
    // Falls through to the one answer below.
  }
  throw new EnvelopeError('undecryptable_key', 'encrypted_dek does not hold a DEK for this key')
}

const RSA_OAEP = { name: 'RSA-OAEP', hash: 'SHA-256' }
const threadedKeys = new WeakMap<KeyObject, webcrypto.CryptoKey>()

function threaded(privateKey: KeyObject): webcrypto.CryptoKey {
  const known = threadedKeys.get(privateKey) ?? privateKey.toCryptoKey(RSA_OAEP, false, ['decrypt'])
  threadedKeys.set(privateKey, known)
  return known
}
