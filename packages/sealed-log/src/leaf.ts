import { canonical } from '@custodia/contract'
import { concat, type Sha256, utf8 } from './bytes.ts'

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
