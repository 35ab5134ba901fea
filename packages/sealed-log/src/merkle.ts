import { concat, equal, type Sha256 } from './bytes.ts'

// Merkle trees of RFC 6962 and RFC 9162, section 2.1. Sizes are safe integers, so divisions replace bit shifts.

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** The hash of an entry. */
export const leafHash = (sha256: Sha256, leaf: Uint8Array): Uint8Array => sha256(concat(LEAF, leaf))

/** The hash of two subtrees. */
export const nodeHash = (sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(concat(NODE, left, right))

/** Leaves of a tile: 2^8. */
export const TILE_WIDTH = 256

/** Reads hashes of complete subtrees of `TILE_WIDTH ** level` leaves: `count` of them from an index on. */
export type ReadNodes = (level: number, from: number, count: number) => Promise<readonly Uint8Array[]>

/** The root of a tree that grows: it keeps the hashes of its complete subtrees, the largest first. */
export class Frontier {
  readonly #sha256: Sha256
  readonly #subtrees: { size: number; hash: Uint8Array }[] = []

  constructor(sha256: Sha256) {
    this.#sha256 = sha256
  }

  /** Appends a leaf, or a complete subtree of `size` leaves. A later one is never larger than an earlier incomplete one. */
  push(hash: Uint8Array, size = 1): void {
    let added = { size, hash }
    for (let last = this.#subtrees.at(-1); last?.size === added.size; last = this.#subtrees.at(-1)) {
      this.#subtrees.pop()
      added = { size: added.size * 2, hash: nodeHash(this.#sha256, last.hash, added.hash) }
    }
    this.#subtrees.push(added)
  }

  /** How many leaves there are. */
  get size(): number {
    return this.#subtrees.reduce((sum, { size }) => sum + size, 0)
  }

  /** The root hash; of an empty tree the hash of no bytes. */
  root(): Uint8Array {
    const last = this.#subtrees.at(-1)
    if (!last) return this.#sha256(new Uint8Array())
    return this.#subtrees
      .slice(0, -1)
      .reduceRight((right, { hash }) => nodeHash(this.#sha256, hash, right), last.hash)
  }
}

/** The hash of a complete subtree of `TILE_WIDTH ** level` leaves. */
export interface TreeNode {
  level: number
  index: number
  hash: Uint8Array
}

/** A tree that grows leaf by leaf. In memory it has only the hashes of its incomplete tiles, by level. */
export class GrowingTree {
  readonly #sha256: Sha256
  readonly #tiles: Uint8Array[][] = []
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
      tree.#tiles.push(count === 0 ? [] : [...(await read(level, nodes - count, count))])
    }
    return tree
  }

  /** Appends a leaf hash. Returns the subtrees above the leaves that it completes, the lowest first. */
  append(hash: Uint8Array): TreeNode[] {
    const nodes: TreeNode[] = []
    this.size++
    let added = hash
    for (let level = 0, count = this.size; ; level++) {
      const tile = (this.#tiles[level] ??= [])
      tile.push(added)
      if (tile.length < TILE_WIDTH) return nodes
      const frontier = new Frontier(this.#sha256)
      for (const each of tile) frontier.push(each)
      this.#tiles[level] = []
      added = frontier.root()
      count /= TILE_WIDTH
      nodes.push({ level: level + 1, index: count - 1, hash: added })
    }
  }

  /** The root hash. */
  root(): Uint8Array {
    const frontier = new Frontier(this.#sha256)
    for (const [level, tile] of [...this.#tiles.entries()].toReversed())
      for (const hash of tile) frontier.push(hash, TILE_WIDTH ** level)
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

/** The root that an inclusion proof leads to; undefined for a proof of another length. */
function rootOfInclusion(
  sha256: Sha256,
  hash: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
): Uint8Array | undefined {
  if (index < 0 || index >= size) return undefined
  let [node, last, root] = [index, size - 1, hash]
  for (const sibling of proof) {
    if (last === 0) return undefined
    if (node % 2 === 1 || node === last) {
      root = nodeHash(sha256, sibling, root)
      while (node % 2 === 0 && node !== 0) {
        node /= 2
        last = Math.floor(last / 2)
      }
    } else root = nodeHash(sha256, root, sibling)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? root : undefined
}

/** What an inclusion proof claims. */
export interface Inclusion {
  /** The hash of the leaf. */
  hash: Uint8Array
  index: number
  size: number
  root: Uint8Array
  proof: readonly Uint8Array[]
}

/** Whether a proof shows that a leaf is in a tree (RFC 9162, section 2.1.3.2). */
export function isIncluded(sha256: Sha256, { hash, index, size, root, proof }: Inclusion): boolean {
  const found = rootOfInclusion(sha256, hash, index, size, proof)
  return found !== undefined && equal(found, root)
}

/** What a consistency proof claims. */
export interface Consistency {
  former: { size: number; root: Uint8Array }
  latter: { size: number; root: Uint8Array }
  proof: readonly Uint8Array[]
}

/** Whether a proof shows that one tree begins with another (RFC 9162, section 2.1.4.2). */
export function isConsistent(sha256: Sha256, { former, latter, proof }: Consistency): boolean {
  if (former.size < 1 || former.size > latter.size) return false
  if (former.size === latter.size) return proof.length === 0 && equal(former.root, latter.root)
  let [node, last] = [former.size - 1, latter.size - 1]
  while (node % 2 === 1) {
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  const rest = [...proof]
  // A complete former tree is a node of the latter one, so its root needs no place in the proof.
  const first = node === 0 ? former.root : rest.shift()
  if (!first) return false
  let [before, after] = [first, first]
  for (const hash of rest) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      before = nodeHash(sha256, hash, before)
      after = nodeHash(sha256, hash, after)
      while (node % 2 === 0 && node !== 0) {
        node /= 2
        last = Math.floor(last / 2)
      }
    } else after = nodeHash(sha256, after, hash)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && equal(before, former.root) && equal(after, latter.root)
}
