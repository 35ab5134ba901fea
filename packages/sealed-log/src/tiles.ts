import { concat, type Sha256 } from './bytes.ts'
import { Frontier } from './merkle.ts'

// Tiles of C2SP tlog-tiles: 256 hashes of a level each, or fewer at the edge of the tree. Trees and proofs of stored hashes.

/** Leaves of a tile: 2^8. */
export const TILE_WIDTH = 256

/** Reads hashes of complete subtrees of `TILE_WIDTH ** level` leaves: `count` of them from an index on. */
export type ReadNodes = (level: number, from: number, count: number) => Promise<readonly Uint8Array[]>

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
export function getTiles(size: number): Tile[] {
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

/** The hash of a complete subtree of `TILE_WIDTH ** level` leaves. */
export interface TreeNode {
  level: number
  index: number
  hash: Uint8Array
}

/** A tree that grows leaf by leaf. In memory it has only the frontiers of its incomplete tiles, by level. */
export class GrowingTree {
  readonly #sha256: Sha256
  readonly #tiles: Frontier[] = []
  size: number

  private constructor(sha256: Sha256, size: number) {
    this.#sha256 = sha256
    this.size = size
  }

  /** A stored tree of `size` leaves. */
  static async read(sha256: Sha256, read: ReadNodes, size: number): Promise<GrowingTree> {
    const tree = new GrowingTree(sha256, size)
    for (let level = 0, nodes = size; nodes > 0; level++, nodes = Math.floor(nodes / TILE_WIDTH)) {
      const count = nodes % TILE_WIDTH
      const tile = new Frontier(sha256)
      for (const hash of count === 0 ? [] : await read(level, nodes - count, count)) tile.push(hash)
      tree.#tiles.push(tile)
    }
    return tree
  }

  /** Appends a leaf hash. Returns the subtrees above the leaves that it completes, the lowest first. */
  append(hash: Uint8Array): TreeNode[] {
    const nodes: TreeNode[] = []
    this.size++
    let added = hash
    for (let level = 0, count = this.size; ; level++) {
      const tile = (this.#tiles[level] ??= new Frontier(this.#sha256))
      tile.push(added)
      const [whole] = tile.subtrees
      if (whole?.size !== TILE_WIDTH) return nodes
      this.#tiles[level] = new Frontier(this.#sha256)
      added = whole.hash
      count /= TILE_WIDTH
      nodes.push({ level: level + 1, index: count - 1, hash: added })
    }
  }

  /** The root hash. */
  root(): Uint8Array {
    const frontier = new Frontier(this.#sha256)
    for (const [level, tile] of [...this.#tiles.entries()].toReversed())
      for (const { hash, size } of tile.subtrees) frontier.push(hash, size * TILE_WIDTH ** level)
    return frontier.root()
  }
}

/** The largest power of two below `size`. */
function split(size: number): number {
  let half = 1
  while (half * 2 < size) half *= 2
  return half
}

/** The frontier of the leaves `from` to `to`: all leaves, or a subtree that a proof names. */
export async function readFrontier(
  sha256: Sha256,
  read: ReadNodes,
  from: number,
  to: number,
): Promise<Frontier> {
  const frontier = new Frontier(sha256)
  let unit = 1
  let level = 0
  while (unit * TILE_WIDTH <= to - from) {
    unit *= TILE_WIDTH
    level++
  }
  for (let at = from; at < to; unit /= TILE_WIDTH, level--) {
    const count = Math.floor((to - at) / unit)
    if (count === 0) continue
    const hashes = await read(level, at / unit, count)
    if (hashes.length !== count)
      throw new Error(`the tree lacks hashes of level ${level} from ${at / unit} on`)
    for (const hash of hashes) frontier.push(hash, unit)
    at += count * unit
  }
  return frontier
}

const rangeHash = async (sha256: Sha256, read: ReadNodes, from: number, to: number): Promise<Uint8Array> =>
  (await readFrontier(sha256, read, from, to)).root()

/** The hashes that prove that the leaf at `index` is in the tree of `size` leaves. */
export async function proveInclusion(
  sha256: Sha256,
  read: ReadNodes,
  index: number,
  size: number,
): Promise<Uint8Array[]> {
  if (index < 0 || index >= size) throw new RangeError(`no leaf ${index} in ${size}`)
  const proof: Uint8Array[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const middle = from + split(to - from)
    const isLeft = index < middle
    proof.unshift(
      await (isLeft ? rangeHash(sha256, read, middle, to) : rangeHash(sha256, read, from, middle)),
    )
    if (isLeft) to = middle
    else from = middle
  }
  return proof
}

/** The hashes that prove that the tree of `size` leaves begins with the tree of `former` leaves. */
export async function proveConsistency(
  sha256: Sha256,
  read: ReadNodes,
  former: number,
  size: number,
): Promise<Uint8Array[]> {
  if (former < 1 || former > size) throw new RangeError(`no tree of ${former} leaves in one of ${size}`)
  const proof: Uint8Array[] = []
  let [from, to] = [0, size]
  // While true, the former tree is a known left part of what is left.
  let isKnown = true
  while (former < to) {
    const middle = from + split(to - from)
    if (former <= middle) {
      proof.unshift(await rangeHash(sha256, read, middle, to))
      to = middle
    } else {
      proof.unshift(await rangeHash(sha256, read, from, middle))
      from = middle
      isKnown = false
    }
  }
  if (!isKnown) proof.unshift(await rangeHash(sha256, read, from, to))
  return proof
}
