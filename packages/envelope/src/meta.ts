import {
  constants,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  publicEncrypt,
  randomBytes,
  webcrypto,
} from 'node:crypto'
import { associatedData, type SealedIdentity } from './associated-data.ts'
import { promisify } from 'node:util'
import {
  assertKey,
  decrypt,
  encrypt,
  EnvelopeError,
  IV_SIZE,
  openBox,
  sealBox,
  TAG_SIZE,
} from './segment-cipher.ts'

/**
 * Strict base64 (RFC 4648 section 4, padded). Undefined for anything else: Node's own decoder skips foreign characters, which
 * would let one value be written in many ways.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

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

/** Bytes of meta JSON, at most. */
export const MAX_META_SIZE = 1024 * 1024
const MAX_META_TEXT = 4 * Math.ceil((MAX_META_SIZE + TAG_SIZE) / 3)

/**
 * The `iv` and `meta` of an upload: the JSON of `meta` under AES-256-GCM with the DEK of the payload or report, a random 12-byte iv and
 * the associated data; both in base64, the tag behind the ciphertext.
 */
export function sealMeta(dek: Uint8Array, ids: SealedIdentity, meta: unknown): { iv: string; meta: string } {
  assertKey(dek, 'the DEK')
  const json = JSON.stringify(meta)
  if (json === undefined) throw new RangeError('meta has no JSON form')
  const plaintext = Buffer.from(json)
  if (plaintext.length > MAX_META_SIZE) throw new EnvelopeError('out_of_range', 'meta is longer than 1 MiB')
  const iv = randomBytes(IV_SIZE)
  const sealed = encrypt(dek, iv, plaintext, associatedData(ids))
  return { iv: iv.toString('base64'), meta: sealed.toString('base64') }
}

/**
 * The meta of an upload, as parsed JSON of unknown shape. Throws `undecryptable_meta`, and `out_of_range` when `isCheap` says that the
 * text is not to be parsed, for it can be made to cost far more than its size; its messages never quote the content.
 */
export function openMeta(
  dek: Uint8Array,
  ids: SealedIdentity,
  iv: string,
  meta: string,
  isCheap: (json: Buffer) => boolean = () => true,
): unknown {
  assertKey(dek, 'the DEK')
  if (meta.length > MAX_META_TEXT) throw undecryptable('meta is longer than 1 MiB')
  const nonce = decodeBase64(iv.slice(0, 64))
  if (nonce?.length !== IV_SIZE) throw undecryptable('iv is not 12 bytes in base64')
  const sealed = decodeBase64(meta)
  if (!sealed) throw undecryptable('meta is not base64')
  const plaintext = decrypt(dek, nonce, sealed, associatedData(ids))
  if (!plaintext) throw undecryptable('meta is not what was sealed for this payload, or under another key')
  if (plaintext.length > MAX_META_SIZE) throw undecryptable('meta is longer than 1 MiB')
  if (!isCheap(plaintext)) throw new EnvelopeError('out_of_range', 'meta is too deep, or of too many values')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plaintext))
  } catch {
    throw undecryptable('meta does not hold JSON')
  }
}

const undecryptable = (message: string) => new EnvelopeError('undecryptable_meta', message)
