import { MediaError } from '../port.ts'

/** A block is one segment of the envelope, so that no byte is decrypted twice. */
export const BLOCK = 256 * 1024
/** Cached blocks: an index is read in three places and the sound in a fourth. */
const HELD = 8
/** Most reads per byte on average. Valid files are read about once, twice with the index at the end. */
const MOST_READINGS = 16

/** The bytes of a recording by position. Caches 2 MiB, whatever their size. */
export class Blocks {
  readonly size: number
  readonly #fetch: (start: number, end: number) => Promise<Buffer>
  readonly #held = new Map<number, Buffer>()
  #budget: number

  /** @param fetch returns exactly these bytes (end exclusive), at most one block */
  constructor(size: number, fetch: (start: number, end: number) => Promise<Buffer>) {
    this.size = size
    this.#fetch = fetch
    this.#budget = MOST_READINGS * (size + HELD * BLOCK)
  }

  /** The block with this index. Throws MediaError `limit` when a hostile index causes too many reads. */
  async block(index: number): Promise<Buffer> {
    const start = index * BLOCK
    const known = this.#held.get(index)
    // A hit makes the block the most recent one.
    if (known) this.#held.delete(index)
    const block = known ?? (await this.#load(start, Math.min(start + BLOCK, this.size)))
    this.#held.set(index, block)
    const [oldest] = this.#held.keys()
    if (this.#held.size > HELD && oldest !== undefined) this.#held.delete(oldest)
    return block
  }

  #load(start: number, end: number): Promise<Buffer> {
    this.#budget -= end - start
    if (this.#budget < 0) throw new MediaError('limit', 'the recording is read over and over')
    return this.#fetch(start, end)
  }
}
