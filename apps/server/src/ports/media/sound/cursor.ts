import { MediaError } from '../port.ts'

/** A block is one segment of the envelope, so that no byte is decrypted twice. */
const BLOCK = 256 * 1024
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

/** Most bytes of one read. */
const MOST = 64 * 1024

/** Reads forward through a range of a recording. `at` and `end` are positions in the whole. */
export class Cursor {
  at: number
  readonly end: number
  readonly #blocks: Blocks
  #block: Buffer = Buffer.alloc(0)
  #base = 0

  /** Never reads beyond the end of the recording, whatever `end` is. */
  constructor(blocks: Blocks, at: number, end: number = blocks.size) {
    this.#blocks = blocks
    this.at = at
    this.end = Math.min(end, blocks.size)
  }

  get left(): number {
    return Math.max(0, this.end - this.at)
  }

  /** The next bytes, valid until the next call: at most 64 KiB. Throws MediaError `corrupt` at the end. */
  async take(count: number): Promise<Buffer> {
    if (count > this.left || count > MOST) throw new MediaError('corrupt', 'the data ends within a part')
    const start = this.at
    this.at += count
    const from = start - this.#base
    if (from >= 0 && from + count <= this.#block.length) return this.#block.subarray(from, from + count)
    return this.#across(start, count)
  }

  async #across(start: number, count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let at = start; at < start + count;) {
      const index = Math.floor(at / BLOCK)
      this.#block = await this.#blocks.block(index)
      this.#base = index * BLOCK
      const from = at - this.#base
      parts.push(this.#block.subarray(from, Math.min(this.#block.length, from + start + count - at)))
      at = Math.min(this.#base + BLOCK, start + count)
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  }

  async uint32(): Promise<number> {
    return (await this.take(4)).readUInt32BE(0)
  }

  /** The remaining bytes up to a limit; empty at the end. */
  takeUpTo(count: number): Promise<Buffer> {
    return this.take(Math.min(count, this.left))
  }
}
