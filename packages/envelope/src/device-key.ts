import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { decodeBase64 } from './meta.ts'

/** The fields that a phone signs when it authenticates; an absent or null field is an empty line. */
export interface SignedAuthentication {
  account_reference: string
  ulid_encrypted: string
  serial_number?: string | null | undefined
  installation_id?: string | null | undefined
  imeis: readonly string[]
  email?: string | null | undefined
}

/** A phone's key pair, each half as base64 of its DER: SPKI and PKCS #8. */
export interface DeviceKeyPair {
  device_key: string
  private_key: string
}

/** A new pair for a phone, on P-256. */
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
  return sign(digestOf(key), linesOf(stated), key).toString('base64')
}

/** Whether `signature` was made with the private half of `device_key`, which must be one that phones may have. */
export function isSignedBy(device_key: string, signature: string, stated: SignedAuthentication): boolean {
  const key = readDeviceKey(device_key)
  const bytes = decodeBase64(signature)
  return key !== undefined && bytes !== undefined && verify(digestOf(key), linesOf(stated), key, bytes)
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
const digestOf = (key: KeyObject): 'sha256' | null => (key.asymmetricKeyType === 'ed25519' ? null : 'sha256')

const linesOf = (stated: SignedAuthentication): Buffer =>
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
