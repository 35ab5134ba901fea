import { canonical } from '@custodia/contract'
import { concat, equal, type Sha256, utf8 } from './bytes.ts'

// Merkle trees of RFC 6962 and RFC 9162, section 2.1. Sizes are safe integers, so divisions replace bit shifts.

/** What the log keeps of an entry forever. Without the salt the digest says nothing about the fields. */
export interface Leaf {
  /** The table of the entry. */
  source: string
  /** Epoch seconds. */
  at: number
  /** SHA-256 of the salt and the canonical JSON of the fields, in hexadecimal digits. */
  digest: string
}

/** The text of a leaf, which the tree hashes: canonical JSON. */
export const formatLeaf = ({ source, at, digest }: Leaf): string => canonical({ v: 1, source, at, digest })

/** The digest of an entry's fields. Once the salt is erased, it says nothing about them. */
export const getDigest = (sha256: Sha256, salt: Uint8Array, fields: unknown): Uint8Array =>
  sha256(concat(salt, utf8(canonical(fields))))

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
  readonly subtrees: { size: number; hash: Uint8Array }[] = []

  constructor(sha256: Sha256) {
    this.#sha256 = sha256
  }

  /** Appends a leaf, or a complete subtree of `size` leaves. A later one is never larger than an earlier incomplete one. */
  push(hash: Uint8Array, size = 1): void {
    const { subtrees } = this
    let added = { size, hash }
    for (let last = subtrees.at(-1); last?.size === added.size; last = subtrees.at(-1)) {
      subtrees.pop()
      added = { size: added.size * 2, hash: nodeHash(this.#sha256, last.hash, added.hash) }
    }
    subtrees.push(added)
  }

  /** The root hash; of an empty tree the hash of no bytes. */
  root(): Uint8Array {
    const last = this.subtrees.at(-1)
    if (!last) return this.#sha256(new Uint8Array())
    return this.subtrees
      .slice(0, -1)
      .reduceRight((right, { hash }) => nodeHash(this.#sha256, hash, right), last.hash)
  }
}

/** Climbs from a node to the root of its tree: `join` receives each sibling, and whether it is on the left. */
function climb(
  from: { node: number; last: number },
  proof: readonly Uint8Array[],
  join: (sibling: Uint8Array, isLeft: boolean) => void,
): boolean {
  let { node, last } = from
  const rise = () => ([node, last] = [Math.floor(node / 2), Math.floor(last / 2)])
  for (const sibling of proof) {
    if (last === 0) return false
    const isLeft = node % 2 === 1 || node === last
    join(sibling, isLeft)
    while (isLeft && node % 2 === 0 && node !== 0) rise()
    rise()
  }
  return last === 0
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
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return false
  let found = hash
  const isWhole = climb({ node: index, last: size - 1 }, proof, (sibling, isLeft) => {
    found = isLeft ? nodeHash(sha256, sibling, found) : nodeHash(sha256, found, sibling)
  })
  return isWhole && equal(found, root)
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
  const isWhole = climb({ node, last }, rest, (hash, isLeft) => {
    if (isLeft) before = nodeHash(sha256, hash, before)
    after = isLeft ? nodeHash(sha256, hash, after) : nodeHash(sha256, after, hash)
  })
  return isWhole && equal(before, former.root) && equal(after, latter.root)
}
