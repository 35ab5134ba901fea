import { randomBytes } from 'node:crypto'
import { decodeBase64 } from './keys.ts'
import {
  assertKey,
  associatedData,
  decrypt,
  encrypt,
  EnvelopeError,
  IV_SIZE,
  type SealedIdentity,
  TAG_SIZE,
} from './segment-cipher.ts'

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
