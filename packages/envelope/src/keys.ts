import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
  publicEncrypt,
  randomBytes,
  sign,
  verify,
  webcrypto,
} from 'node:crypto'
import { promisify } from 'node:util'
import { assertKey, EnvelopeError, openBox, sealBox } from './segment-cipher.ts'

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
  return sealBox(accountKey, Buffer.from(ulid), getAad(account_reference)).toString('base64')
}

/** The ULID of `ulid_encrypted`. Throws `tampered` when it does not open under this key and account, or holds no ULID. */
export function openUlid(accountKey: Uint8Array, account_reference: string, ulid_encrypted: string): string {
  assertKey(accountKey, 'the account key')
  const box = ulid_encrypted.length === SEALED_LENGTH ? decodeBase64(ulid_encrypted) : undefined
  const ulid = box && openBox(accountKey, box, getAad(account_reference))?.toString('latin1')
  if (!ulid || !ULID.test(ulid)) {
    throw new EnvelopeError('tampered', 'ulid_encrypted does not hold a ULID for this account')
  }
  return ulid
}

function getAad(account_reference: string): Buffer {
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

/** A client's key pair for `encrypted_dek`: RSA 3072, the public half as SPKI PEM as devices receive it (`kek`). */
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

/** The fields that a device signs when it authenticates; an absent or null field is an empty line. */
export interface SignedAuthentication {
  account_reference: string
  ulid_encrypted: string
  serial_number?: string | null | undefined
  installation_id?: string | null | undefined
  imeis: readonly string[]
  email?: string | null | undefined
}

/** A device's key pair, each half as base64 of its DER: SPKI and PKCS #8. */
export interface DeviceKeyPair {
  device_key: string
  private_key: string
}

/** A new pair for a device, on P-256. */
export function newDeviceKey(): DeviceKeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    device_key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    private_key: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  }
}

/** The `signature` of an authentication, base64. */
export function signAuthentication(private_key: string, stated: SignedAuthentication): string {
  const key = createPrivateKey({ key: Buffer.from(private_key, 'base64'), format: 'der', type: 'pkcs8' })
  return sign(getDigest(key), getLines(stated), key).toString('base64')
}

/** Whether `signature` was made with the private half of `device_key`, which must be one that devices may have. */
export function isSignedBy(device_key: string, signature: string, stated: SignedAuthentication): boolean {
  const key = readDeviceKey(device_key)
  const bytes = decodeBase64(signature)
  return key !== undefined && bytes !== undefined && verify(getDigest(key), getLines(stated), key, bytes)
}

/** Undefined for anything but P-256 and Ed25519, and for another spelling of a key: each has one. */
function readDeviceKey(device_key: string): KeyObject | undefined {
  const der = decodeBase64(device_key)
  if (!der) return undefined
  let key: KeyObject
  try {
    key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
  const isKnown =
    key.asymmetricKeyType === 'ed25519' ||
    (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1')
  return isKnown && key.export({ format: 'der', type: 'spki' }).equals(der) ? key : undefined
}

/** Ed25519 has a digest of its own. */
const getDigest = (key: KeyObject): 'sha256' | null => (key.asymmetricKeyType === 'ed25519' ? null : 'sha256')

const getLines = (stated: SignedAuthentication): Buffer =>
  Buffer.from(
    [
      'custodia/v1|device',
      stated.account_reference,
      stated.ulid_encrypted,
      stated.serial_number ?? '',
      stated.installation_id ?? '',
      stated.imeis.toSorted().join(','),
      stated.email ?? '',
    ].join('\n'),
  )
