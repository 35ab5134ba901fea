import { concat } from './bytes.ts'
import { TILE_WIDTH } from './merkle.ts'

// Tiles of C2SP tlog-tiles: 256 hashes of a level each, or fewer at the edge of the tree.

/** A tile of hashes, or a bundle of entries. */
export interface Tile {
  level: number | 'entries'
  index: number
  /** Hashes or entries in it: 1 to 256. */
  width: number
}

/** The path of a tile: three digits a folder, `x` before all but the last, `.p/<width>` for a partial one. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  const folders = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group))
  return `tile/${level}/${folders.join('/')}${width < TILE_WIDTH ? `.p/${width}` : ''}`
}

/** The tile of a path; undefined for any other text. */
export function parseTilePath(path: string): Tile | undefined {
  const match = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path)
  if (!match) return undefined
  const [, level = '', folders = '', partial] = match
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(folders.replaceAll(/[x/]/g, '')),
    width: partial === undefined ? TILE_WIDTH : Number(partial),
  }
  const isOurs =
    Number.isSafeInteger(tile.index) && tile.width > 0 && (tile.level === 'entries' || tile.level < 64)
  return isOurs && tilePath(tile) === path ? tile : undefined
}

/** The tiles of hashes that a tree of `size` leaves has, the lowest level first. */
export function tilesOf(size: number): Tile[] {
  const tiles: Tile[] = []
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH))
    for (let index = 0; index * TILE_WIDTH < hashes; index++)
      tiles.push({ level, index, width: Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH) })
  return tiles
}

/** The bytes of a bundle of entries: each with its length in two bytes before it. */
export function encodeEntries(entries: readonly Uint8Array[]): Uint8Array {
  return concat(
    ...entries.flatMap((entry) => {
      if (entry.length > 0xffff) throw new RangeError(`an entry of ${entry.length} bytes`)
      return [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry]
    }),
  )
}

/** The entries of a bundle; undefined when it is cut off. */
export function decodeEntries(bytes: Uint8Array): Uint8Array[] | undefined {
  const entries: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)
    if (at + 2 > bytes.length || end > bytes.length) return undefined
    entries.push(bytes.slice(at + 2, end))
    at = end
  }
  return entries
}
