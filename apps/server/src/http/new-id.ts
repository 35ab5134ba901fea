import { randomFillSync } from 'node:crypto'
import { ulid } from 'ulid'

/** Random bytes drawn at a time, because a draw costs as much as an identifier. */
const POOL = Buffer.alloc(4096)
let used = POOL.length

function draw(): number {
  if (used === POOL.length) {
    randomFillSync(POOL)
    used = 0
  }
  const byte = POOL.readUInt8(used)
  // Overwritten, so that a value is never used twice and does not stay in memory.
  POOL.writeUInt8(0, used++)
  return byte / 256
}

/** A ULID of this moment, with 80 bits from the system's random generator. */
export const newId = (): string => ulid(undefined, draw)
