import { cacheEntry } from '../cache.ts'
import { MediaError, type MediaSource } from './port.ts'

/** A block is one segment of the envelope, so that no byte is decrypted twice. */
const BLOCK = 256 * 1024
/** Cached blocks: an index is read in one place, and the sound of each track in another. */
const CACHED = 8
/** Most reads per byte on average. Valid files are read about once, twice with the index at the end. */
const MAX_READINGS = 16

/** Reads a recording at any position. Caches 2 MiB, whatever its size. */
export class Reader {
  readonly size: number
  readonly #fetch: (start: number, end: number) => Promise<Buffer>
  readonly #blocks = new Map<number, Buffer>()
  #budget: number

  /** @param fetch returns exactly these bytes (end exclusive) */
  constructor(size: number, fetch: (start: number, end: number) => Promise<Buffer>) {
    this.size = size
    this.#fetch = fetch
    this.#budget = MAX_READINGS * (size + CACHED * BLOCK)
  }

  static of(source: MediaSource): Reader {
    return new Reader(source.size, (start, end) => readRange(source, start, end))
  }

  /**
   * Bytes from `at` on, fewer at the end. Throws MediaError `limit` when a hostile index causes too many reads.
   */
  async bytes(at: number, length: number): Promise<Buffer> {
    const end = Math.min(at + length, this.size)
    if (!(at >= 0 && at < end)) return Buffer.alloc(0)
    if (end - at > BLOCK) return this.#load(at, end)
    const [first, last] = [Math.floor(at / BLOCK), Math.floor((end - 1) / BLOCK)]
    const start = await this.#block(first)
    if (first === last) return start.subarray(at - first * BLOCK, end - first * BLOCK)
    const rest = await this.#block(last)
    return Buffer.concat([start.subarray(at - first * BLOCK), rest.subarray(0, end - last * BLOCK)])
  }

  async #block(index: number): Promise<Buffer> {
    const known = this.#blocks.get(index)
    const block = known ?? (await this.#load(index * BLOCK, Math.min((index + 1) * BLOCK, this.size)))
    cacheEntry(this.#blocks, index, block, CACHED)
    return block
  }

  #load(start: number, end: number): Promise<Buffer> {
    this.#budget -= end - start
    if (this.#budget < 0) throw new MediaError('limit', 'the recording is read over and over')
    return this.#fetch(start, end)
  }
}

/** Collects a part of a source. */
export async function readRange(source: MediaSource, start: number, end: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source.read(start, end)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
