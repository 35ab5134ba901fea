import { concat, equal, type Sha256 } from './bytes.ts'

// Merkle trees of RFC 6962 and RFC 9162, section 2.1. Sizes are safe integers, so divisions replace bit shifts.

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** The hash of an entry. */
export const leafHash = (sha256: Sha256, leaf: Uint8Array): Uint8Array => sha256(concat(LEAF, leaf))

/** The hash of two subtrees. */
export const nodeHash = (sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(concat(NODE, left, right))

/** The root of a tree that grows: it keeps the hashes of its complete subtrees, the largest first. */
export class Frontier {
  readonly #sha256: Sha256
  readonly #subtrees: { size: number; hash: Uint8Array }[] = []

  /** The hashes of its complete subtrees, the largest first. */
  get subtrees(): readonly { size: number; hash: Uint8Array }[] {
    return this.#subtrees
  }

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

/** The root that an inclusion proof leads to; undefined for a proof of another length. */
function rootOfInclusion(
  sha256: Sha256,
  hash: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
): Uint8Array | undefined {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return undefined
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
