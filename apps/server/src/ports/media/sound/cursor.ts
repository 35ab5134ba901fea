import { MediaError } from '../port.ts'
import { BLOCK, type Blocks } from './blocks.ts'

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
