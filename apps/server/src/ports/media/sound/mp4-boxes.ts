import { MediaError } from '../port.ts'
import type { Blocks } from './blocks.ts'
import { Cursor } from './cursor.ts'

/**
 * A box of an ISO base media file: its type, and start and end (exclusive) of its content, within its parent.
 */
export interface Mp4Box {
  type: string
  body: number
  end: number
}

/** Boxes on one level: more than any recorder writes. */
const MOST_BOXES = 4096

/** The boxes between two positions. A longer one is cut, so that the rest of a truncated file still plays. */
export async function boxes(blocks: Blocks, from: number, to: number): Promise<Mp4Box[]> {
  const found: Mp4Box[] = []
  const cursor = new Cursor(blocks, from, to)
  while (cursor.left >= 8) {
    if (found.length === MOST_BOXES) throw new MediaError('corrupt', 'too many boxes')
    const start = cursor.at
    const head = await cursor.take(8)
    const type = head.toString('latin1', 4, 8)
    let size = head.readUInt32BE(0)
    if (size === 1 && cursor.left >= 8) size = Number((await cursor.take(8)).readBigUInt64BE(0))
    else if (size === 0) size = cursor.end - start
    if (size < cursor.at - start) break
    found.push({ type, body: cursor.at, end: Math.min(start + size, cursor.end) })
    cursor.at = start + size
  }
  return found
}

/** The first box of a type within another, if both exist. */
export const childOf = async (
  blocks: Blocks,
  parent: Mp4Box | undefined,
  type: string,
): Promise<Mp4Box | undefined> =>
  parent && (await boxes(blocks, parent.body, parent.end)).find((box) => box.type === type)
