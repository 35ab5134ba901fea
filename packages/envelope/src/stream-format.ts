import { EnvelopeError } from './envelope-error.ts'
import { TAG_SIZE } from './gcm.ts'

/** Bytes of a ciphertext segment, tag included: 256 KiB (the first segment includes the header, the last may be shorter). */
export const SEGMENT_SIZE = 256 * 1024
/** The segment number is a 32-bit field of the nonce. */
export const MAX_SEGMENTS = 2 ** 32

/**
 * Parameters of Tink's AES-GCM-HKDF-Streaming. Custodia uses one set, AES256_GCM_HKDF with SHA-256; the others exist so that Tink's
 * published vectors run through this very code.
 */
export type StreamFormat = {
  segmentSize: number
  keySize: 16 | 32
  hash: 'sha1' | 'sha256' | 'sha512'
}

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
