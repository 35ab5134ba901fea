/**
 * Where payload data lies: sealed bytes under a key, written once, never changed.
 * Two adapters, `filesystem.ts` and `s3.ts`, both held to `port.conformance.ts`.
 */
export interface ObjectStore {
  readonly kind: 'filesystem' | 's3'
  /**
   * Writes once; durable when resolved. A taken key: ObjectExists, which says nothing of how durable that object is. `size` (bytes)
   * and `sha256` (hex) are verified on the way when given: ContentMismatch. After any error the source is closed, and nothing lies
   * under the key; only after ObjectStoreUnavailable the whole object may, for another writer may have seen it by then.
   */
  put(
    key: string,
    source: AsyncIterable<Uint8Array>,
    expect?: ExpectedContent,
  ): Promise<{ size: number; sha256: string }>
  /**
   * Bytes [start, end), or all; what lies beyond the end of the object is left out. The first step throws ObjectNotFound
   * when there is no such object. Closing the iterator closes the handle behind it. With `into`, which has room for the whole
   * range, a store may put chunks to their place in it instead of into memory of its own.
   */
  read(key: string, range?: ByteRange, into?: Buffer): AsyncIterable<Buffer>
  head(key: string): Promise<{ size: number } | undefined>
  /**
   * Makes the object under the key durable, before anything relies on an existing object. With `expect`,
   * other content throws ContentMismatch. Undefined when there is no such object.
   */
  ensureDurable(key: string, expect?: ExpectedContent): Promise<{ size: number } | undefined>
  /** Idempotent; durable when resolved. Many at once are faster than one by one; where one fails, others may be gone. */
  delete(...keys: string[]): Promise<void>
  /**
   * An address to which a phone PUTs exactly `size` bytes with digest `sha256` (hex), once, until `expires_at` (epoch
   * seconds), with a Content-Length (never chunked) and with `headers` as they are. An answer of 412 means that the
   * object is there already. Whether the digest is enforced depends on the S3 server, so check it again when reading.
   */
  uploadAddress(upload: UploadGrant): Promise<{ url: string; headers: Record<string, string> }>
  /** Objects whose key starts with `prefix`, in no promised order. */
  list(prefix: string): AsyncIterable<Listed>
  /** Removes what writes interrupted before `before` (epoch seconds) left behind; resolves to how many. */
  sweep(before: number): Promise<number>
  /** How many writes interrupted before `before` (epoch seconds) have left something behind. */
  leftovers(before: number): Promise<number>
  /** Throws ObjectStoreUnavailable unless objects can be stored now. */
  health(): Promise<void>
}

export type ExpectedContent = { size?: number; sha256?: string }
/** An object as it is listed; `modified_at` in epoch seconds. */
export type Listed = { key: string; size: number; modified_at: number }
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

/** The bytes are not the ones that were announced. */
export class ContentMismatch extends Error {
  override name = 'ContentMismatch'
  readonly code: 'wrong_size' | 'wrong_checksum'
  constructor(code: 'wrong_size' | 'wrong_checksum', message: string) {
    super(message)
    this.code = code
  }
}

/** The store cannot serve now (full, broken, unreachable, misconfigured); trying again later may succeed. */
export class ObjectStoreUnavailable extends Error {
  override name = 'ObjectStoreUnavailable'
}

/** There is no room for the object: nothing was begun, and an operator must free space. */
export class NoRoom extends ObjectStoreUnavailable {
  override name = 'NoRoom'
}

/** Our own address was forged, altered or is too old. */
export class UploadForbidden extends Error {
  override name = 'UploadForbidden'
  readonly code = 'forbidden'
}
