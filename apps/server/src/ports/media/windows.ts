import type { MediaSource } from './port.ts'

/** Bytes per read: more than the head of one box is usually needed. */
const WINDOW = 64 * 1024

/** Reads small pieces of a source at any position through a buffer. */
export interface Windows {
  readonly size: number
  /** Bytes from `at` on; fewer at the end of the source. */
  bytes(at: number, length: number): Promise<Buffer>
}

export function windowsOf(source: MediaSource): Windows {
  let start = 0
  let held: Buffer = Buffer.alloc(0)
  async function load(from: number, to: number): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    for await (const chunk of source.read(from, to)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  return {
    size: source.size,
    async bytes(at, length) {
      const end = Math.min(at + length, source.size)
      if (at >= end) return Buffer.alloc(0)
      if (end - at > WINDOW) return load(at, end)
      if (at < start || end > start + held.length) {
        held = await load(at, Math.min(at + WINDOW, source.size))
        start = at
      }
      return held.subarray(at - start, end - start)
    },
  }
}
