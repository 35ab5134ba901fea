import { hkdfSync, randomBytes } from 'node:crypto'
import { EnvelopeError } from './envelope-error.ts'
import { decrypt, encrypt, IV_SIZE } from './gcm.ts'
import { headerSize, MAX_SEGMENTS, type StreamFormat } from './stream-format.ts'

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
    this.#key = Buffer.from(hkdfSync(format.hash, dek, salt, aad, format.keySize))
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
