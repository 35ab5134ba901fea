import { hash, randomUUID } from 'node:crypto'
import type { GlobalTx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'
import { DatabaseProblem } from '../ports/database/problem.ts'
import { insertEntries } from './audit-store.ts'
import type { AuditEntry } from './context.ts'

/** Length of a cut value. */
interface Measure {
  items: number
  characters: number
  /** Below this level long values are replaced by their digest. */
  depth: number
}

/** Limits in order, until the result is short enough. */
const MEASURES: readonly Measure[] = [
  { items: 20, characters: 200, depth: 5 },
  { items: 5, characters: 60, depth: 3 },
  { items: 1, characters: 30, depth: 2 },
]

/**
 * A call's parameters in about `limit` characters of JSON. Every field stays: a long list or text is cut to
 * its beginning, its length and the SHA-256 of its whole JSON text, which can prove a guess at the rest.
 */
function cutParameters(value: unknown, limit: number): unknown {
  let kept: unknown = value
  for (const measure of MEASURES) {
    if (JSON.stringify(kept).length <= limit) break
    kept = cut(value, measure, 0)
  }
  return kept
}

function cut(value: unknown, measure: Measure, depth: number): unknown {
  if (typeof value === 'string') {
    if (value.length <= measure.characters) return value
    const head = value.slice(0, measure.characters).toWellFormed()
    return { cut: head, characters: value.length, sha256: getDigest(value) }
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth >= measure.depth && JSON.stringify(value).length > measure.characters)
    return { cut: null, sha256: getDigest(value) }
  if (!Array.isArray(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, cut(each, measure, depth + 1)]),
    )
  }
  const head = value.slice(0, measure.items).map((each) => cut(each, measure, depth + 1))
  return value.length <= measure.items ? head : { cut: head, items: value.length, sha256: getDigest(value) }
}

const getDigest = (value: unknown) => hash('sha256', JSON.stringify(value), 'hex')

/** Entries per statement. */
const BATCH = 200
/** Attempts at a statement that fails for a transient reason. */
const ATTEMPTS = 4
/** Characters of a body's parameters. */
const BODY_CHARACTERS = 4000
/**
 * Characters of all other parameters: Node's limit for a request head, so that the log shows every filter of
 * a list.
 */
const LINE_CHARACTERS = 16_384

/** A UUID of version 7 (RFC 9562): it begins with its milliseconds and sorts by them (spec section 3: timestamp-UUID). */
export function newLogId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** Parameters as the log keeps them: without secrets and fields that it leaves out, and long ones cut. */
export function loggedParameters(
  parts: object,
  secrets: readonly string[],
  unlogged: readonly string[] = [],
): string {
  const strike = (key: string, value: unknown): unknown =>
    unlogged.includes(key) ? undefined : secrets.includes(key) ? '…' : value
  const kept = Object.entries(parts).map(([name, part]) => {
    const text = JSON.stringify({ [name]: part as unknown }, secrets.length > 0 ? strike : undefined)
    const limit = name === 'body' ? BODY_CHARACTERS : LINE_CHARACTERS
    return text.length <= limit ? text : JSON.stringify(cutParameters(JSON.parse(text), limit))
  })
  // Each part is an object of one field, or empty when undefined; this merges them.
  return `{${kept
    .map((text) => text.slice(1, -1))
    .filter((text) => text !== '')
    .join()}}`
}

/** Logged parameters with `facts` in addition. */
export const withFacts = (parameters: string, facts: Readonly<Record<string, string | number>>): string =>
  `${parameters === '{}' ? '{' : `${parameters.slice(0, -1)},`}${loggedParameters({ facts }, []).slice(1)}`

interface WaitingEntry {
  entry: AuditEntry
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Writes audit entries. Entries of reads are gathered while the previous statement runs and share one commit.
 * Each caller waits until its own entry is durable, and fails when it cannot be written.
 */
export class AuditLog {
  readonly #db: Database
  #waiting: WaitingEntry[] = []
  #flushing = false

  constructor(db: Database) {
    this.#db = db
  }

  /** Resolves when the entry is durable. */
  append(entry: AuditEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject })
      if (!this.#flushing) void this.#flush()
    })
  }

  /** Writes entries within the transaction of their acts. */
  async appendWithin(tx: GlobalTx, ...entries: AuditEntry[]): Promise<void> {
    await insertEntries(tx, entries).catch((error: unknown) => {
      throw failure(error)
    })
  }

  async #flush(): Promise<void> {
    this.#flushing = true
    // One turn of the event loop: requests that arrived together are written together.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH)
      for (const kind of ['portal', 'device'] as const)
        await this.#write(batch.filter(({ entry }) => entry.caller.kind === kind))
    }
    this.#flushing = false
  }

  /**
   * Writes entries of one kind in one statement, which needs no explicit transaction. When one entry fails
   * the statement, halves are retried until it fails only its own call.
   */
  async #write(entries: readonly WaitingEntry[], attempt = 1): Promise<void> {
    if (entries.length === 0) return
    try {
      await this.#db.global((q) =>
        insertEntries(
          q,
          entries.map(({ entry }) => entry),
        ),
      )
      for (const { entry, resolve } of entries) {
        this.#db.written.add(entry.client_id ?? entry.caller.client_id)
        resolve()
      }
    } catch (error) {
      if (isUnavailable(error)) {
        // Waiting entries would time out as well, so they fail at once.
        for (const { reject } of [...entries, ...this.#waiting.splice(0)]) reject(failure(error))
        return
      }
      // A transient failure, such as a month's table that was made concurrently, does not recur.
      if (isPassing(error) && attempt < ATTEMPTS) return this.#write(entries, attempt + 1)
      if (entries.length === 1) {
        entries[0]?.reject(failure(error))
        return
      }
      const middle = entries.length >> 1
      await this.#write(entries.slice(0, middle))
      await this.#write(entries.slice(middle))
    }
  }
}

/** Without a database halves cannot be written either. */
const isUnavailable = (error: unknown) => error instanceof DatabaseProblem && error.kind === 'unavailable'

/** Sending the statement again is harmless, whatever happened to it. */
const isPassing = (error: unknown) => error instanceof DatabaseProblem && error.kind === 'serialization'

/**
 * The error of an entry that could not be written, for a call that must not run: any permanent failure is the
 * server's fault.
 */
const failure = (cause: unknown): unknown =>
  isUnavailable(cause) || isPassing(cause)
    ? cause
    : new Error('The audit entry could not be written.', { cause })
