import type { DestructionLedger } from './ledger/files.ts'

/**
 * Keys that never leave their provider: the devices' key pairs and the master key for small secrets. The
 * shape fits AWS KMS (RSA_3072 keys with RSAES_OAEP_SHA_256, Encrypt/Decrypt with an encryption context) and
 * PKCS#11. `port.conformance.ts` tests it.
 */
export interface KeyProvider {
  readonly kind: 'local_file' | 'aws_kms' | 'pkcs11'
  /**
   * Makes an RSA-3072 key pair of a client; devices get both values as `key_id` and `kek`. Durable when
   * resolved.
   */
  createKek(client: string): Promise<{ key_id: string; public_key_pem: string }>
  /** The 32-byte DEK in an `encrypted_dek` (base64, RSA-OAEP-256). Throws KeyUnknown or CiphertextRefused. */
  unwrapDeviceDek(key_id: string, encrypted_dek: string): Promise<Buffer>
  /** Removes the private keys of such pairs, durably. Safe to repeat. */
  removeKeks(key_ids: readonly string[]): Promise<void>
  /** Seals a small secret, which opens only with the same context. The blob names the master key. */
  wrap(plaintext: Buffer, context: KeyContext): Promise<Buffer>
  /**
   * Opens a blob of `wrap`, also from before a rotation, or a name of `put`. Throws KeyUnknown or
   * CiphertextRefused.
   */
  unwrap(blob: Buffer, context: KeyContext): Promise<Buffer>
  /**
   * Stores a data key of 32 bytes that can be forgotten. Resolves, once durable, to an opaque name for a row;
   * `unwrap` opens it with the same context.
   */
  put(dek: Buffer, context: KeyContext): Promise<Buffer>
  /**
   * Wipes the keys of names of `put` durably; resolves to their number. Safe to repeat. Ignores blobs of
   * `wrap`, whose copies cannot be wiped.
   */
  forget(names: readonly Buffer[]): Promise<number>
  /**
   * Seals all stored keys under a new key version and destroys the former ones, so that forgetting reaches
   * every copy. An interrupted rotation continues where it stopped. `settle` resolves when every process sees
   * the disk as it was at the call.
   */
  roll(settle: () => Promise<void>): Promise<RotationResult>
  /** The names whose key is missing; it does not open the others. Ignores blobs of `wrap`. */
  missing(names: readonly Buffer[]): Promise<Buffer[]>
  /** Creation times of the existing key versions; epoch seconds, oldest first. */
  keyVersionsMadeAt(): Promise<number[]>
  /** The number of forgotten slots that still hold data. */
  unwiped(): Promise<number>
  /** The number of stored keys that were made before a time (epoch seconds) and have no name in a row. */
  unnamed(isNamed: (name: Buffer) => boolean, before: number): Promise<number>
  /** The ledger of destroyed keys, which the keys protect. */
  readonly ledger: DestructionLedger
  /** 32 random bytes, made on the first call and then the same in every process: for cookies and HMACs. */
  namedSecret(name: string): Promise<Buffer>
  /** Signs with an Ed25519 key that is made on the first call and never leaves; the result names the key. */
  sign(bytes: Buffer): Promise<Signature>
  /** The public keys of all signing keys, oldest first; at least one. */
  verificationKeys(): Promise<VerificationKey[]>
  /** Throws KeysUnavailable unless secrets can be sealed and opened now. */
  health(): Promise<void>
}

/** The name of the key that signed. */
export interface Signature {
  key_id: string
  signature: Buffer
}

/** A public key (SPKI) for verification. */
export interface VerificationKey {
  key_id: string
  public_key_pem: string
  made_at: number
}

/** Seconds after which a key version must be gone; rotation is earlier. */
export const EPOCH_GONE = 8 * 86_400

/** The result of a rotation. */
export interface RotationResult {
  /** The key version that now seals all slots. */
  epoch: number
  resealed: number
  /** Slots that were forgotten during the rotation and wiped again. */
  wiped: number
  /** Slots that cannot be opened; they stay unchanged. */
  damaged: number
  /** Key versions whose keys are destroyed. */
  erased: number[]
}

/**
 * The context of a secret, so that blobs cannot be exchanged: e.g. `{ client, purpose: 'dek', reference:
 * payload_reference }`.
 */
export type KeyContext = { client: string; purpose: string; reference: string }

/** The key does not exist: a wrong id, or a destroyed key. */
export class KeyUnknown extends Error {
  override name = 'KeyUnknown'
}

/** The ciphertext has another key or context, or was altered. A retry does not help. */
export class CiphertextRefused extends Error {
  override name = 'CiphertextRefused'
}

export class KeysUnavailable extends Error {
  override name = 'KeysUnavailable'
}
