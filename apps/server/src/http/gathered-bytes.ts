import { Problem } from './problem.ts'

/** Initial size in bytes, before the final size is known. */
const FIRST = 16 * 1024

/**
 * Gathers bytes into one buffer. The pieces are not kept: a piece of one byte is an object of two hundred,
 * and the sender chooses the size of the pieces.
 */
export class GatheredBytes {
  readonly #limit: number
  readonly #grow: (size: number) => void
  #buffer = Buffer.alloc(0)
  #length = 0

  /**
   * @param limit most bytes that may come
   * @param grow called with the size of the buffer before its allocation; throws when it is too large
   */
  constructor(limit: number, grow: (size: number) => void) {
    this.#limit = limit
    this.#grow = grow
  }

  /** Reserves so many bytes in all. Problems: payload_too_large, those of `grow`. */
  expect(length: number): void {
    if (length > this.#limit)
      throw new Problem('payload_too_large', { detail: `at most ${this.#limit} bytes` })
    if (length <= this.#buffer.length) return
    this.#grow(length)
    const larger = Buffer.allocUnsafe(length)
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }

  /** Problems: those of `expect`. */
  add(piece: Buffer): void {
    const length = this.#length + piece.length
    if (length > this.#buffer.length)
      this.expect(Math.max(length, Math.min(Math.max(FIRST, 2 * this.#buffer.length), this.#limit)))
    piece.copy(this.#buffer, this.#length)
    this.#length = length
  }

  /** The gathered bytes, without a copy. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }
}
