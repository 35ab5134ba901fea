import type { StoreFault } from '@custodia/contract'

/**
 * The store of payload data: sealed bytes under a key, written once, never changed. Two adapters,
 * `filesystem.ts` and `s3.ts`; `port.conformance.ts` tests both.
 */
export interface ObjectStore {
  readonly kind: 'filesystem' | 's3'
  /**
   * Writes once; durable when resolved. Throws ObjectExists for a used key, whose object may not be durable
   * yet. Verifies `size` (bytes) and `sha256` (hex) when given: ContentMismatch. An error closes the source
   * and leaves nothing under the key; only after ObjectStoreUnavailable the whole object may remain.
   */
  put(
    key: string,
    source: AsyncIterable<Uint8Array>,
    expect?: ExpectedContent,
  ): Promise<{ size: number; sha256: string }>
  /**
   * Bytes [start, end), or all; bytes beyond the end are left out. The first step throws ObjectNotFound.
   * Closing the iterator closes its handle. A store may place chunks in `into`, which has room for the whole
   * range.
   */
  read(key: string, range?: ByteRange, into?: Buffer): AsyncIterable<Buffer>
  head(key: string): Promise<{ size: number } | undefined>
  /**
   * Makes the object under the key durable, before anything relies on an existing object. With `expect`,
   * other content throws ContentMismatch. Undefined when there is no such object.
   */
  ensureDurable(key: string, expect?: ExpectedContent): Promise<{ size: number } | undefined>
  /**
   * Idempotent; durable when resolved. One call for many keys is faster; when one fails, others may be
   * deleted.
   */
  delete(...keys: string[]): Promise<void>
  /**
   * An address to which a device PUTs exactly `size` bytes with digest `sha256` (hex), once, until
   * `expires_at` (epoch seconds), with a Content-Length and with `headers` unchanged. Status 412: the object
   * exists. Some S3 servers do not enforce the digest, so check it when reading.
   */
  uploadAddress(upload: UploadGrant): Promise<{ url: string; headers: Record<string, string> }>
  /**
   * Objects whose key starts with `prefix`, in any order. With `hidden` also former versions and delete markers, so a
   * key may come several times.
   */
  list(prefix: string, hidden?: 'with_versions'): AsyncIterable<ListedObject>
  /**
   * Removes the remains of writes that were interrupted before `before` (epoch seconds); resolves to their
   * number.
   */
  sweep(before: number): Promise<number>
  /** The number of remains of writes that were interrupted before `before` (epoch seconds). */
  leftovers(before: number): Promise<number>
  /** Throws ObjectStoreUnavailable unless objects can be stored now. */
  health(): Promise<void>
  /** Locks of single objects; absent: the store has none. */
  readonly lock?: ObjectLock
  /** Settings of the store that make a promise untrue; absent: it has no settings of its own. */
  settingFaults?(): Promise<StoreFault[]>
}

/** Locks objects in COMPLIANCE mode: until its end no person can delete a locked version. */
export interface ObjectLock {
  /**
   * Locks a version of an object until `retain_until` (epoch seconds; null: no date) and while it is held; without
   * `version_id` the present version. A lock is extended and never shortened. Resolves to the lock as it is now;
   * undefined: there is no such version.
   */
  set(key: string, wanted: WantedLock): Promise<LockedVersion | undefined>
  /** Tries to break the lock of a canary object. Resolves to what the store let happen; empty: the lock holds. */
  attack(): Promise<BrokenLock[]>
}

export type WantedLock = { retain_until: number | null; is_held: boolean; version_id?: string | null }
export type LockedVersion = { version_id: string; locked_until: number | null; lock_held: boolean }
/** `not_locked`: the canary could not be locked at all. */
export type BrokenLock = 'not_locked' | 'shortened' | 'weakened' | 'deleted'

export type ExpectedContent = { size?: number; sha256?: string }
/** A listed object; `modified_at` in epoch seconds. */
export type ListedObject = { key: string; size: number; modified_at: number }
export type ByteRange = { start: number; end: number }
export type UploadGrant = {
  key: string
  size: number
  sha256: string
  expires_at: number
  /** The holder of an upload address; only for addresses of our own. */
  sender?: string | undefined
}

export class ObjectExists extends Error {
  override name = 'ObjectExists'
  constructor(key: string) {
    super(`object ${key} exists and is never overwritten`)
  }
}

export class ObjectNotFound extends Error {
  override name = 'ObjectNotFound'
  constructor(key: string) {
    super(`object ${key} does not exist`)
  }
}

/** The bytes differ from the announced ones. */
export class ContentMismatch extends Error {
  override name = 'ContentMismatch'
  readonly code: 'wrong_size' | 'wrong_checksum'
  constructor(code: 'wrong_size' | 'wrong_checksum', message: string) {
    super(message)
    this.code = code
  }
}

/** The store is unavailable (full, broken, unreachable, misconfigured); a later attempt may succeed. */
export class ObjectStoreUnavailable extends Error {
  override name = 'ObjectStoreUnavailable'
}

/** There is no room for the object: nothing was begun, and an operator must free space. */
export class NoRoom extends ObjectStoreUnavailable {
  override name = 'NoRoom'
}

/** Our own address was forged, altered or has expired. */
export class UploadForbidden extends Error {
  override name = 'UploadForbidden'
  readonly code = 'forbidden'
}

const longestKey = 900
/** Nearly all segments need no escaping. */
const PLAIN = /^[A-Za-z0-9_-]+$/
// A file name has at most 255 bytes, our extension included.
const longestSegment = 240

/**
 * Object keys are `/`-separated segments such as `client/payload_reference/original-<sha256>`. Throws
 * RangeError on ambiguous or dangerous keys: empty, `.` and `..` segments, control characters, broken
 * Unicode, escaped segments over 240 characters, keys over 900 bytes (S3 ends at 1024).
 */
export function assertObjectKey(key: string): void {
  if (key === '' || Buffer.byteLength(key) > longestKey)
    throw new RangeError('object key is empty or too long')
  for (const segment of key.split('/')) assertSegment(segment)
}

/** A list prefix: empty, or the start of a valid key, which may end inside a segment or with `/`. */
export function assertPrefix(prefix: string): void {
  if (prefix === '') return
  assertObjectKey(/[/.]$/.test(prefix) ? `${prefix}x` : prefix)
}

function assertSegment(segment: string): void {
  const bad =
    segment === '' ||
    segment === '.' ||
    segment === '..' ||
    !segment.isWellFormed() ||
    encodeSegment(segment).length > longestSegment ||
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u001f\u007f\\]/.test(segment)
  if (bad) throw new RangeError(`object key has a forbidden segment: ${JSON.stringify(segment.slice(0, 40))}`)
}

/**
 * A segment as a portable file name: letters, digits, `_` and `-` stay, every other byte becomes `%XX`. Never
 * contains a dot.
 */
export function encodeSegment(segment: string): string {
  if (PLAIN.test(segment)) return segment
  return Array.from(segment, (char) =>
    /^[A-Za-z0-9_-]$/.test(char)
      ? char
      : Array.from(Buffer.from(char), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
          '',
        ),
  ).join('')
}

/** The inverse of encodeSegment; undefined for a foreign file name. */
export function decodeSegment(name: string): string | undefined {
  if (PLAIN.test(name)) return name
  try {
    const segment = decodeURIComponent(name)
    return encodeSegment(segment) === name ? segment : undefined
  } catch {
    return undefined
  }
}
