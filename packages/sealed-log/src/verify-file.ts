import { canonical, type LogFault, type NamedCheckpoint } from '@custodia/contract'
import { equal, fromHex, type Sha256, toHex, utf8 } from './bytes.ts'
import { formatLeaf, Frontier, getDigest, isConsistent, isIncluded, leafHash } from './merkle.ts'
import {
  type Checkpoint,
  checkpointIn,
  keysIn,
  openNote,
  parseCheckpoint,
  type VerifyEd25519,
} from './note.ts'

/** Files with a whole log, an entry and its proof, many of these, or the proof that a log continues a checkpoint. */
export const LOG_FORMAT = 'custodia-sealed-log/1'
export const PROOF_FORMAT = 'custodia-sealed-log-proof/1'
export const PROOFS_FORMAT = 'custodia-sealed-log-proofs/1'
export const CONSISTENCY_FORMAT = 'custodia-sealed-log-consistency/1'

/** What the auditor has from elsewhere. */
export interface TrustedMaterial {
  /** Keys that may sign checkpoints, as text. */
  keys: readonly string[]
  /** Checkpoints that the log must continue. */
  checkpoints: readonly string[]
}

/** The newest checkpoint and how much was checked. */
interface Good {
  isGood: true
  origin: string
  size: number
  entries: number
  disclosed: number
  checkpoints: number
  /** Checkpoints of the auditor that a proof cannot be compared with, because their sizes are others. */
  skipped: number
}
/** The result, or the first fault. */
export type Verdict = Good | { isGood: false; fault: LogFault }

/** A fault of the file. */
class Fault extends Error {
  constructor(code: LogFault['code'], values: LogFault['values'] = {}) {
    super(code, { cause: { code, values } satisfies LogFault })
  }
}

/** Implementations of the platform. */
export interface Crypto {
  sha256: Sha256
  verify: VerifyEd25519
}

type Json = Readonly<Record<string, unknown>>

/** Verifies a downloaded log or proof, given as its lines, against keys and checkpoints that the auditor trusts. */
export async function verifyFile(
  crypto: Crypto,
  lines: AsyncIterable<string> | Iterable<string>,
  trusted: TrustedMaterial,
): Promise<Verdict> {
  try {
    return await new FileVerifier(crypto, trusted).verify(lines)
  } catch (error) {
    if (error instanceof Fault) return { isGood: false, fault: error.cause as LogFault }
    if (error instanceof RangeError) return { isGood: false, fault: { code: 'unreadable', values: {} } }
    throw error
  }
}

class FileVerifier {
  readonly #crypto: Crypto
  readonly #trusted: TrustedMaterial

  constructor(crypto: Crypto, trusted: TrustedMaterial) {
    this.#crypto = crypto
    this.#trusted = trusted
    for (const text of trusted.keys)
      if (keysIn(crypto.sha256, text, '').length === 0)
        throw new Fault('not_a_key', { text: text.slice(0, 60) })
  }

  async verify(lines: AsyncIterable<string> | Iterable<string>): Promise<Verdict> {
    let head: Json | undefined
    let log: LogVerifier | ProofsVerifier | undefined
    for await (const line of lines) {
      if (line === '') continue
      const value = parseLine(line)
      // Of two members with one name, programs and people read different ones.
      if (JSON.stringify(value) !== line.trim()) throw new Fault('respelled', { text: line.slice(0, 60) })
      if (log) log.add(value)
      else if (head) throw new Fault('proof_lines')
      else if (value.format === LOG_FORMAT) log = this.#begin(value)
      else if (value.format === PROOFS_FORMAT) log = this.#ofProof(value)
      else head = value
    }
    if (log) return log.end()
    if (head?.format === PROOF_FORMAT) {
      const proof = this.#ofProof(head)
      proof.add(head)
      return proof.end()
    }
    if (head?.format === CONSISTENCY_FORMAT) return this.#verifyConsistency(head)
    throw new Fault('unknown_format')
  }

  #open(note: unknown, name: NamedCheckpoint): Checkpoint {
    const fault = (code: LogFault['code'], origin = '') => new Fault(code, { checkpoint: name, origin })
    if (typeof note !== 'string') throw fault('checkpoint_missing')
    const { sha256, verify } = this.#crypto
    const [origin = ''] = note.split('\n')
    const keys = this.#trusted.keys.flatMap((key) => keysIn(sha256, key, origin))
    const text = openNote(sha256, verify, note, keys)
    if (text === undefined) throw fault('checkpoint_unsigned')
    const checkpoint = parseCheckpoint(text)
    if (!checkpoint) throw fault('checkpoint_invalid')
    // A server signs the logs of all its accounts with the same key.
    if (!keys.some(({ name }) => name === checkpoint.origin))
      throw fault('checkpoint_of_other', checkpoint.origin)
    return checkpoint
  }

  #begin(head: Json): LogVerifier {
    const newest = this.#open(head.checkpoint, 'newest')
    const others = getList(head.checkpoints).map((note) => this.#open(note, 'former'))
    const trusted = this.#ofAuditor(newest)
    for (const { size } of trusted)
      if (size > newest.size) throw new Fault('cut_off', { size, found: newest.size })
    return new LogVerifier(this.#crypto.sha256, newest, [...others, ...trusted])
  }

  #ofAuditor({ origin }: Checkpoint): Checkpoint[] {
    return this.#trusted.checkpoints.map((note) => {
      const checkpoint = this.#open(checkpointIn(note), 'own')
      if (checkpoint.origin !== origin)
        throw new Fault('checkpoint_of_other', { checkpoint: 'own', origin: checkpoint.origin })
      return checkpoint
    })
  }

  /** Compares the checkpoints of a proof with the auditor's of the same sizes; returns how many have another size. */
  #compare(...own: readonly [Checkpoint, ...Checkpoint[]]): number {
    let skipped = 0
    for (const trusted of this.#ofAuditor(own[0])) {
      const same = own.find(({ size }) => size === trusted.size)
      if (!same) skipped++
      else if (!equal(trusted.root, same.root)) throw new Fault('forked', { size: same.size })
    }
    return skipped
  }

  #ofProof(head: Json): ProofsVerifier {
    const checkpoint = this.#open(head.checkpoint, 'newest')
    return new ProofsVerifier(this.#crypto.sha256, { ...checkpoint, skipped: this.#compare(checkpoint) })
  }

  #verifyConsistency(head: Json): Verdict {
    const latter = this.#open(head.checkpoint, 'newest')
    const former = this.#open(head.former, 'former')
    if (former.origin !== latter.origin) throw new Fault('different_logs')
    if (!isConsistent(this.#crypto.sha256, { former, latter, proof: getHashes(head.proof) }))
      throw new Fault('not_continued', { size: latter.size, former: former.size })
    const { origin, size } = latter
    const skipped = this.#compare(latter, former)
    return { isGood: true, origin, size, entries: 0, disclosed: 0, checkpoints: 2, skipped }
  }
}

/** Verifies that entries are in the log of a checkpoint, each by its proof. */
class ProofsVerifier {
  readonly #sha256: Sha256
  readonly #checkpoint: Checkpoint & Pick<Good, 'skipped'>
  #entries = 0
  #disclosed = 0

  constructor(sha256: Sha256, checkpoint: Checkpoint & Pick<Good, 'skipped'>) {
    this.#sha256 = sha256
    this.#checkpoint = checkpoint
  }

  add(value: Json): void {
    const { size, root } = this.#checkpoint
    const index = typeof value.position === 'number' ? value.position : -1
    const { hash, isDisclosed } = getEntry(this.#sha256, value, index)
    if (!isIncluded(this.#sha256, { hash, index, size, root, proof: getHashes(value.proof) }))
      throw new Fault('not_included', { position: index, size })
    this.#entries++
    if (isDisclosed) this.#disclosed++
  }

  end(): Verdict {
    const { origin, size, skipped } = this.#checkpoint
    const counts = { entries: this.#entries, disclosed: this.#disclosed, checkpoints: 1 }
    return { isGood: true, origin, size, skipped, ...counts }
  }
}

/** Recomputes the tree entry by entry, and its root wherever there is a checkpoint. */
class LogVerifier {
  readonly #sha256: Sha256
  readonly #newest: Checkpoint
  readonly #due: Checkpoint[]
  readonly #frontier: Frontier
  readonly #checkpoints: number
  #size = 0
  #agreed = 0
  #disclosed = 0

  constructor(sha256: Sha256, newest: Checkpoint, others: readonly Checkpoint[]) {
    this.#sha256 = sha256
    this.#newest = newest
    for (const { origin, size } of others) {
      if (origin !== newest.origin) throw new Fault('different_logs')
      if (size > newest.size) throw new Fault('checkpoint_newer', { size })
    }
    this.#due = [...others, newest].toSorted((a, b) => a.size - b.size)
    this.#checkpoints = this.#due.length
    this.#frontier = new Frontier(sha256)
    this.#compare()
  }

  add(value: Json): void {
    if (value.position !== this.#size)
      throw new Fault('entry_missing', { position: this.#size, found: String(value.position) })
    const { hash, isDisclosed } = getEntry(this.#sha256, value, this.#size)
    if (isDisclosed) this.#disclosed++
    this.#frontier.push(hash)
    this.#size++
    this.#compare()
  }

  #compare(): void {
    for (let next = this.#due[0]; next?.size === this.#size; next = this.#due[0]) {
      this.#due.shift()
      if (!equal(next.root, this.#frontier.root()))
        throw new Fault('other_root', { from: this.#agreed, to: this.#size - 1, size: this.#size })
      this.#agreed = this.#size
    }
  }

  end(): Verdict {
    const { origin, size } = this.#newest
    if (this.#size !== size) throw new Fault('other_count', { found: this.#size, size })
    const counts = { entries: this.#size, disclosed: this.#disclosed, checkpoints: this.#checkpoints }
    return { isGood: true, origin, size, skipped: 0, ...counts }
  }
}

/** The leaf hash of an entry, after its disclosed fields were compared with its digest. */
function getEntry(sha256: Sha256, value: Json, position: number): { hash: Uint8Array; isDisclosed: boolean } {
  const { leaf, salt, fields } = value
  if (typeof leaf !== 'string') throw new Fault('entry_leaf', { position })
  const { source, at, digest } = parseLine(leaf)
  if (typeof source !== 'string' || typeof at !== 'number' || typeof digest !== 'string')
    throw new Fault('entry_leaf', { position })
  if (formatLeaf({ source, at, digest }) !== leaf) throw new Fault('entry_respelled', { position })
  const isDisclosed = salt !== undefined || fields !== undefined
  if (isDisclosed) {
    const bytes = typeof salt === 'string' ? fromHex(salt) : undefined
    if (!bytes || toHex(getDigest(sha256, bytes, fields)) !== digest)
      throw new Fault('entry_changed', { position })
  }
  const known = ['format', 'checkpoint', 'position', 'leaf', 'salt', 'fields', 'proof']
  const other = Object.keys(value).find((name) => !known.includes(name))
  if (other !== undefined) throw new Fault('entry_unsealed', { position, text: canonical(other) })
  return { hash: leafHash(sha256, utf8(leaf)), isDisclosed }
}

function parseLine(line: string): Json {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  } catch {
    // Falls through.
  }
  throw new Fault('not_custodia', { text: line.slice(0, 60) })
}

const getList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function getHashes(value: unknown): Uint8Array[] {
  return getList(value).map((text) => {
    const hash = typeof text === 'string' ? fromHex(text) : undefined
    if (hash?.length !== 32) throw new Fault('proof_hashes')
    return hash
  })
}
