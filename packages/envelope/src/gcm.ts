import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Bytes of a GCM nonce. */
export const IV_SIZE = 12
/** Bytes of a GCM tag; shorter tags are never made or accepted. */
export const TAG_SIZE = 16

const NO_AAD = Buffer.alloc(0)
const algorithm = (key: Uint8Array) => (key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm')

/** Throws unless `key` is an AES-256 key. */
export function assertKey(key: Uint8Array, name: string): void {
  if (key.length !== 32) throw new RangeError(`${name} must be 32 bytes, not ${key.length}`)
}

/** AES-GCM of `plaintext` as ciphertext followed by the tag, written behind `before` into one buffer. */
export function encrypt(
  key: Uint8Array,
  iv: Uint8Array,
  plaintext: Uint8Array,
  aad: Uint8Array = NO_AAD,
  before: Uint8Array = NO_AAD,
): Buffer {
  const cipher = createCipheriv(algorithm(key), key, iv, { authTagLength: TAG_SIZE })
  cipher.setAAD(aad)
  const sealed = Buffer.allocUnsafe(before.length + plaintext.length + TAG_SIZE)
  sealed.set(before)
  sealed.set(cipher.update(plaintext), before.length)
  cipher.final()
  sealed.set(cipher.getAuthTag(), sealed.length - TAG_SIZE)
  return sealed
}

/** Opens what `encrypt` made (without its `before`). Undefined when it does not authenticate: no plaintext leaves then. */
export function decrypt(
  key: Uint8Array,
  iv: Uint8Array,
  sealed: Uint8Array,
  aad: Uint8Array = NO_AAD,
): Buffer | undefined {
  const end = sealed.length - TAG_SIZE
  if (end < 0 || iv.length !== IV_SIZE) return undefined
  const decipher = createDecipheriv(algorithm(key), key, iv, { authTagLength: TAG_SIZE })
  decipher.setAAD(aad)
  decipher.setAuthTag(sealed.subarray(end))
  const plaintext = decipher.update(sealed.subarray(0, end))
  try {
    decipher.final()
  } catch {
    return undefined
  }
  return plaintext
}

/** One box `iv12 | ciphertext | tag16` under a random iv, behind `before` (which the caller authenticates through `aad`). */
export function sealBox(key: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, before = NO_AAD): Buffer {
  const iv = randomBytes(IV_SIZE)
  return encrypt(key, iv, plaintext, aad, Buffer.concat([before, iv]))
}

/** Opens a box of `sealBox` (without its `before`). */
export function openBox(key: Uint8Array, box: Uint8Array, aad: Uint8Array): Buffer | undefined {
  return decrypt(key, box.subarray(0, IV_SIZE), box.subarray(IV_SIZE), aad)
}
