import type { DestructionLedger } from './ledger/files.ts'

/**
 * Keys that never leave their keeper: the phones' key pairs and the master key over everything small and secret. Shaped so
 * that AWS KMS (RSA_3072 keys with RSAES_OAEP_SHA_256, Encrypt/Decrypt with an encryption context) and PKCS#11 fit as well
 * as `local-file.ts`. Held to `port.conformance.ts`.
 */
export interface KeyProvider {
  readonly kind: 'local_file' | 'aws_kms' | 'pkcs11'
  /** A new RSA-3072 key pair of a client; phones get both values as `key_id` and `kek`. Durable when resolved. */
  createPhoneKey(client: string): Promise<{ key_id: string; public_key_pem: string }>
  /** The 32-byte DEK in an `encrypted_dek` (base64, RSA-OAEP-256). Throws KeyUnknown or CiphertextRefused. */
  unwrapPhoneDek(key_id: string, encrypted_dek: string): Promise<Buffer>
  /** Removes the private halves of such key pairs, durably. Doing it again does no harm. */
  removePhoneKeys(key_ids: readonly string[]): Promise<void>
  /** Seals a small secret; it opens only with the same context. The blob names what is needed to open it. */
  wrap(plaintext: Buffer, context: KeyContext): Promise<Buffer>
  /** Opens a blob of `wrap`, also one from before a rotation, and what `put` resolved to. Throws KeyUnknown or CiphertextRefused. */
  unwrap(blob: Buffer, context: KeyContext): Promise<Buffer>
  /**
   * Keeps a data key of 32 bytes so that it can be forgotten. Resolves, once it is durable, to what stands for it in a row and says nothing
   * of it; `unwrap` opens it, with the same context.
   */
  put(dek: Buffer, context: KeyContext): Promise<Buffer>
  /**
   * Wipes the keys of what `put` resolved to, durably; resolves to how many. Doing it again does no harm. Blobs of `wrap` are passed
   * over: no wiping reaches their copies.
   */
  forget(names: readonly Buffer[]): Promise<number>
  /**
   * Seals all kept keys under a new epoch key and destroys the former ones, so that forgetting reaches every copy. Broken off it goes on where it
   * was. `settle` resolves when every process sees on the disk what was there when it was called.
   */
  roll(settle: () => Promise<void>): Promise<Rolled>
  /** Those of the names whose key is not there; not whether the others open. Blobs of `wrap` are passed over. */
  missing(names: readonly Buffer[]): Promise<Buffer[]>
  /** When the epoch keys were made that are here; epoch seconds, oldest first. */
  keyVersionsMadeAt(): Promise<number[]>
  /** How many forgotten slots hold something all the same. */
  unwiped(): Promise<number>
  /** How many kept keys were made before a time, in epoch seconds, and are not named. */
  unnamed(isNamed: (name: Buffer) => boolean, before: number): Promise<number>
  /** What was destroyed, beside the keys and under their protection. */
  readonly ledger: DestructionLedger
  /** 32 random bytes, made at the first call and the same ever after in every process: for cookies, HMACs. */
  namedSecret(name: string): Promise<Buffer>
  /** Signs with an Ed25519 key that is made at the first call, and never leaves; which one, its name says. */
  sign(bytes: Buffer): Promise<Signature>
  /** The public keys of all that ever signed here, oldest first; one at least. */
  verificationKeys(): Promise<VerificationKey[]>
  /** Throws KeysUnavailable unless secrets can be sealed and opened now. */
  health(): Promise<void>
}

/** Of whoever has the key of that name. */
export interface Signature {
  key_id: string
  signature: Buffer
}

/** A public key (SPKI) that verifies what was signed. */
export interface VerificationKey {
  key_id: string
  public_key_pem: string
  made_at: number
}

/** Seconds after which an epoch key must be gone; it is rolled earlier. */
export const EPOCH_GONE = 8 * 86_400

/** What a roll has done. */
export interface Rolled {
  /** The epoch under which everything is sealed now. */
  epoch: number
  resealed: number
  /** Slots that were being forgotten while they were sealed, and that were wiped once more. */
  wiped: number
  /** Slots that nobody can open: they stay as they are. */
  damaged: number
  /** Epochs whose keys are destroyed. */
  erased: number[]
}

/** What a secret belongs to, so that blobs cannot be exchanged: e.g. `{ client, purpose: 'dek', reference: payload_reference }`. */
export type KeyContext = { client: string; purpose: string; reference: string }

/** No such key here (any more): a wrong id, or a destroyed key. */
export class KeyUnknown extends Error {
  override name = 'KeyUnknown'
}

/** The ciphertext was not made with this key and context, or was altered. Trying again will not help. */
export class CiphertextRefused extends Error {
  override name = 'CiphertextRefused'
}

/** The keeper of the keys cannot serve now. */
export class KeysUnavailable extends Error {
  override name = 'KeysUnavailable'
}
