import type { Blocks } from './blocks.ts'
import { Cursor } from './cursor.ts'

/** A page of an Ogg file (RFC 3533): the packets that end in it. */
export interface OggPage {
  serial: number
  /** Position of the stream after these packets, in its own units; undefined when none ends here. */
  position: number | undefined
  is_last: boolean
  packets: Buffer[]
}

const MARK = Buffer.from('OggS')
const HEAD = 27
/** Most bytes of a sound packet. */
const LARGEST_PACKET = 64 * 1024

/** Moves to the next page mark; false when there is none. */
async function findMark(cursor: Cursor): Promise<boolean> {
  while (cursor.left >= HEAD) {
    const start = cursor.at
    const piece = await cursor.takeUpTo(16 * 1024)
    const found = piece.indexOf(MARK)
    cursor.at = found >= 0 ? start + found : start + piece.length - MARK.length + 1
    if (found >= 0) return cursor.left >= HEAD
  }
  return false
}

/** The pages of the file's first stream; skips others. Damage loses only its page. */
export async function* oggPages(blocks: Blocks): AsyncGenerator<OggPage> {
  const cursor = new Cursor(blocks, 0)
  let stream: number | undefined
  let begun: Buffer[] = []
  let length = 0
  while (await findMark(cursor)) {
    const head = await cursor.take(HEAD)
    const [flags, serial, position] = [head[5]!, head.readUInt32LE(14), head.readBigInt64LE(6)]
    const segments = head[26]!
    if (cursor.left < segments) return
    const sizes = Buffer.from(await cursor.take(segments))
    const size = sizes.reduce((sum, one) => sum + one, 0)
    if (cursor.left < size) return
    const body = Buffer.from(await cursor.take(size))
    stream ??= serial
    if (serial !== stream) continue
    if (!(flags & 1)) [begun, length] = [[], 0]
    const packets: Buffer[] = []
    let at = 0
    for (const part of sizes) {
      length += part
      if (length <= LARGEST_PACKET) begun.push(body.subarray(at, at + part))
      at += part
      if (part === 255) continue
      if (length <= LARGEST_PACKET) packets.push(Buffer.concat(begun))
      ;[begun, length] = [[], 0]
    }
    yield {
      serial,
      position: position < 0n ? undefined : Number(position),
      is_last: (flags & 4) !== 0,
      packets,
    }
  }
}
