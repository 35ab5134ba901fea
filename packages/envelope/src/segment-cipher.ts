import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'

/** What a sealed stream belongs to; sealed data moved to another payload, client or kind does not open. */
export type SealedIdentity = {
  client: string
  /** Of a report its id. */
  payload_reference: string
  /**
   * `original`, `metaKind`, `peaks`, `playback`, what a later rendition is called, or of a report what it is: `position` or
   * `telemetry`.
   */
  kind: 'original' | 'peaks' | 'playback' | 'position' | 'telemetry' | (string & {})
}

/** Kind of the metadata of a payload. Metadata of one payload type does not open as that of another. */
export const metaKind = (payload_type: string): string => `meta ${payload_type}`

/**
 * The associated data of a payload's sealed bytes: UTF-8 of `custodia/v1`, then for client, payload_reference and kind in this
 * order `|`, the length of the field in bytes of UTF-8 as a decimal number, `:` and the field itself. For example
 * `custodia/v1|4:acme|3:p-1|8:original`. The lengths make it unambiguous whatever the fields contain. See docs/envelope-format.md.
 */
export function associatedData({ client, payload_reference, kind }: SealedIdentity): Buffer {
  return Buffer.from(['custodia/v1', field(client), field(payload_reference), field(kind)].join('|'))
}

function field(value: string): string {
  if (value === '') throw new RangeError('associated data: a field is empty')
  if (!value.isWellFormed()) throw new RangeError('associated data: a field is not well-formed Unicode')
  return `${Buffer.byteLength(value)}:${value}`
}

/** Why sealed data was refused. The codes are stable; messages are for people and never contain plaintext. */
export type EnvelopeErrorCode =
  | 'bad_header'
  | 'truncated'
  | 'tampered'
  | 'trailing_data'
  | 'undecryptable_key'
  | 'undecryptable_meta'
  | 'out_of_range'

/** A fault of the data (or of its key), as opposed to a fault of the calling code, which is a `RangeError`. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError'
  readonly code: EnvelopeErrorCode

  constructor(code: EnvelopeErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

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

// A key object: Node tests a key of bytes with two exceptions, which take twice as long as a small cipher.
const getCipher = (key: Uint8Array, iv: Uint8Array) =>
  createCipheriv(algorithm(key), createSecretKey(key), iv, { authTagLength: TAG_SIZE })
const getDecipher = (key: Uint8Array, iv: Uint8Array) =>
  createDecipheriv(algorithm(key), createSecretKey(key), iv, { authTagLength: TAG_SIZE })

/** AES-GCM of `plaintext` as ciphertext followed by the tag, written behind `before` into one buffer. */
export function encrypt(
  key: Uint8Array,
  iv: Uint8Array,
  plaintext: Uint8Array,
  aad: Uint8Array = NO_AAD,
  before: Uint8Array = NO_AAD,
): Buffer {
  const cipher = getCipher(key, iv)
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
  const decipher = getDecipher(key, iv)
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

/** Bytes that are decrypted at once: memory of this size is used again, while each larger block comes from the system. */
const AT_ONCE = 64 * 1024

/** The bytes `from` to `to` of what `decrypt` opens, in pieces. All of it is authenticated before any piece is returned. */
function decryptPart(
  key: Uint8Array,
  iv: Uint8Array,
  sealed: Uint8Array,
  from: number,
  to: number,
): Buffer[] | undefined {
  const end = sealed.length - TAG_SIZE
  if (end < 0) return undefined
  const decipher = getDecipher(key, iv)
  decipher.setAuthTag(sealed.subarray(end))
  const wanted: Buffer[] = []
  for (let at = 0; at < end;) {
    const border = [from, to, end].find((each) => each > at) ?? end
    const stop = Math.min(border, at + AT_ONCE, end)
    const piece = decipher.update(sealed.subarray(at, stop))
    if (at >= from && at < to) wanted.push(piece)
    else piece.buffer.transfer(0)
    at = stop
  }
  try {
    decipher.final()
  } catch {
    return undefined
  }
  return wanted
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

/** Bytes of a ciphertext segment, tag included: 256 KiB (the first segment includes the header, the last may be shorter). */
export const SEGMENT_SIZE = 256 * 1024
/** The segment number is a 32-bit field of the nonce. */
const MAX_SEGMENTS = 2 ** 32

/**
 * Parameters of Tink's AES-GCM-HKDF-Streaming. Custodia uses one set, AES256_GCM_HKDF with SHA-256; the others exist so that Tink's
 * published vectors run through this very code.
 */
export type StreamFormat = { segmentSize: number; keySize: 16 | 32; hash: 'sha1' | 'sha256' | 'sha512' }

/** Custodia's parameters with the given segment size. */
export function streamFormat(segmentSize: number = SEGMENT_SIZE): StreamFormat {
  const format: StreamFormat = { segmentSize, keySize: 32, hash: 'sha256' }
  if (!Number.isInteger(segmentSize) || firstPlaintext(format) < 1 || segmentSize >= 2 ** 31) {
    throw new RangeError(`segment size ${segmentSize} is not usable`)
  }
  return format
}

/** `1 + salt + nonce prefix`: 40 bytes for Custodia. */
export const headerSize = (format: StreamFormat): number => 1 + format.keySize + 7
/** Plaintext bytes of segment 0, which shares its space with the header. */
export const firstPlaintext = (format: StreamFormat): number =>
  format.segmentSize - headerSize(format) - TAG_SIZE
/** Plaintext bytes of every further full segment. */
export const nextPlaintext = (format: StreamFormat): number => format.segmentSize - TAG_SIZE

/** Number of segments of a sealed stream of this many bytes. */
export const segmentCount = (format: StreamFormat, sealed: number): number =>
  Math.max(1, Math.ceil(sealed / format.segmentSize))

/** The segment that holds a plaintext position, and the position inside that segment. */
export function locate(format: StreamFormat, position: number): { index: number; offset: number } {
  const first = firstPlaintext(format)
  if (position < first) return { index: 0, offset: position }
  const next = nextPlaintext(format)
  return { index: 1 + Math.floor((position - first) / next), offset: (position - first) % next }
}

/** Bytes that `plaintext` bytes have when sealed. Throws `out_of_range` beyond 2^32 segments. */
export function sealedSizeIn(format: StreamFormat, plaintext: number): number {
  if (!Number.isSafeInteger(plaintext) || plaintext < 0) throw new RangeError(`${plaintext} is not a size`)
  const beyond = Math.max(0, plaintext - firstPlaintext(format))
  const segments = 1 + Math.ceil(beyond / nextPlaintext(format))
  if (segments > MAX_SEGMENTS) throw new EnvelopeError('out_of_range', 'more than 2^32 segments')
  return headerSize(format) + plaintext + segments * TAG_SIZE
}

/**
 * Plaintext bytes in `sealed` bytes. Throws `truncated` for a size that no sealing produces: shorter than an empty stream, or with a
 * last segment (other than the first) that holds nothing.
 */
export function plaintextSizeIn(format: StreamFormat, sealed: number): number {
  if (!Number.isSafeInteger(sealed) || sealed < 0) throw new RangeError(`${sealed} is not a size`)
  const segments = segmentCount(format, sealed)
  const plaintext = sealed - headerSize(format) - segments * TAG_SIZE
  const last = sealed - (segments - 1) * format.segmentSize
  if (segments > MAX_SEGMENTS) throw new EnvelopeError('out_of_range', 'more than 2^32 segments')
  if (segments === 1 ? plaintext < 0 : last <= TAG_SIZE) {
    throw new EnvelopeError('truncated', `${sealed} bytes is not the size of a sealed stream`)
  }
  return plaintext
}

/** Bytes that `plaintext` bytes have when sealed. */
export const sealedSize = (plaintext: number, segmentSize?: number): number =>
  sealedSizeIn(streamFormat(segmentSize), plaintext)

/** Plaintext bytes in a sealed stream of `sealed` bytes; `truncated` when no sealed stream has that size. */
export const plaintextSize = (sealed: number, segmentSize?: number): number =>
  plaintextSizeIn(streamFormat(segmentSize), sealed)

const PREFIX_SIZE = 7

/** A fresh header: its own length in one byte, a random salt, a random nonce prefix. */
export function newHeader(format: StreamFormat): Buffer {
  return Buffer.concat([Buffer.from([headerSize(format)]), randomBytes(format.keySize + PREFIX_SIZE)])
}

/** Seals and opens single segments of one stream. The key is derived from the DEK, the header's salt and the associated data. */
export class SegmentCipher {
  readonly #key: Buffer
  readonly #prefix: Buffer

  /** `header` may be longer than a header (the rest is ignored). Throws `truncated` or `bad_header`. */
  constructor(format: StreamFormat, dek: Uint8Array, aad: Uint8Array, header: Buffer) {
    const size = headerSize(format)
    // HKDF would stretch a short key silently. Tink refuses it too.
    if (dek.length < format.keySize) throw new RangeError(`the DEK must be ${format.keySize} bytes`)
    if (header.length > 0 && header[0] !== size) {
      throw new EnvelopeError('bad_header', `the first byte is ${header[0]}, not ${size}`)
    }
    if (header.length < size) throw new EnvelopeError('truncated', 'the stream ends inside its header')
    const salt = header.subarray(1, 1 + format.keySize)
    this.#key = Buffer.from(hkdfSync(format.hash, createSecretKey(dek), salt, aad, format.keySize))
    this.#prefix = Buffer.from(header.subarray(1 + format.keySize, size))
  }

  /** Segment `index` sealed, behind `before` in the same buffer. */
  seal(index: number, plaintext: Uint8Array, last: boolean, before?: Uint8Array): Buffer {
    return encrypt(this.#key, this.#nonce(index, last), plaintext, undefined, before)
  }

  /**
   * The plaintext of segment `index`. `last` says whether the stream ends after it. Throws `tampered`, or, when the segment is genuine
   * but its mark for the end disagrees, `truncated` or `trailing_data`.
   */
  open(index: number, sealed: Uint8Array, last: boolean): Buffer {
    const plaintext = decrypt(this.#key, this.#nonce(index, last), sealed)
    if (plaintext) return plaintext
    if (decrypt(this.#key, this.#nonce(index, !last), sealed)) {
      throw last
        ? new EnvelopeError('truncated', `the stream ends after segment ${index}, which is not its last`)
        : new EnvelopeError('trailing_data', `data follows segment ${index}, which is the last`)
    }
    const wrongKey = index === 0 ? ' (or the key or the associated data is another)' : ''
    throw new EnvelopeError('tampered', `segment ${index} is not what was sealed${wrongKey}`)
  }

  /** The plaintext bytes `from` to `to` of segment `index`, in pieces; throws as `open` does. */
  openPart(index: number, sealed: Uint8Array, last: boolean, from: number, to: number): Buffer[] {
    return (
      decryptPart(this.#key, this.#nonce(index, last), sealed, from, to) ?? [
        this.open(index, sealed, last).subarray(from, to),
      ]
    )
  }

  /** Overwrites the key; no further segment can be opened. */
  forget(): void {
    this.#key.fill(0)
    this.#prefix.fill(0)
  }

  #nonce(index: number, last: boolean): Buffer {
    if (index >= MAX_SEGMENTS) throw new EnvelopeError('out_of_range', 'more than 2^32 segments')
    const nonce = Buffer.allocUnsafe(IV_SIZE)
    this.#prefix.copy(nonce)
    nonce.writeUInt32BE(index, PREFIX_SIZE)
    nonce[IV_SIZE - 1] = last ? 1 : 0
    return nonce
  }
}

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
