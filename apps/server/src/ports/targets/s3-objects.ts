import { createHash } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type CompletedPart,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { TargetProblem } from './port.ts'
import { statusOf } from './s3-connect.ts'

/** Bytes of a part, larger when an object would have too many; concurrent parts. */
const PART = 8 << 20
const MOST_PARTS = 10_000
const SIDE_BY_SIDE = 3

/** A bucket with its owner, as each request names it: a later owner of the name gets nothing. */
export interface Bucket {
  Bucket: string
  ExpectedBucketOwner: string
}

/** An uploaded object, and the server's response. */
export interface Put {
  bytes: number
  sha256: string
  /** In S3's form: base64; for an object in parts the SHA-256 of the parts' digests, with their number. */
  checksum: string
  /** Empty when unknown. */
  etag: string
}

/** Buffers for the parts, and the SHA-256 of the whole where known. */
interface Sending {
  memory: Buffer[]
  known: string | undefined
}

const sha256 = (content: Uint8Array): Buffer => createHash('sha256').update(content).digest()

/** Puts and reads objects of one bucket. An object becomes visible whole or not at all. */
export class S3Objects {
  readonly #client: S3Client
  readonly #bucket: Bucket

  constructor(client: S3Client, bucket: Bucket) {
    this.#client = client
    this.#bucket = bucket
  }

  /**
   * Uploads with the SHA-256 of each body in the signature and as the object's checksum, so that the server
   * refuses other bytes. `size`: bytes of the plaintext, for the length of the parts. `known`: the SHA-256 of
   * the content, already verified by the caller.
   */
  async put(Key: string, content: AsyncIterable<Uint8Array>, size: number, known?: string): Promise<Put> {
    const memory: Buffer[] = []
    const pieces = rechunk(content, partLength(size), memory)
    const first = await pieces.next()
    const second = first.done ? first : await pieces.next()
    if (!second.done)
      return this.#putParts(Key, chained([first.value as Buffer, second.value], pieces), { memory, known })
    const Body = first.done ? Buffer.alloc(0) : first.value
    const digest = known === undefined ? sha256(Body) : Buffer.from(known, 'hex')
    const checksum = digest.toString('base64')
    const { ETag = '' } = await this.#client.send(
      new PutObjectCommand({ ...this.#bucket, Key, Body, ChecksumSHA256: checksum }),
    )
    return { bytes: Body.length, sha256: digest.toString('hex'), checksum, etag: bare(ETag) }
  }

  async #putParts(Key: string, pieces: AsyncIterable<Buffer>, { memory, known }: Sending): Promise<Put> {
    await this.#abortLeftOf(Key)
    const { UploadId } = await this.#client.send(
      new CreateMultipartUploadCommand({ ...this.#bucket, Key, ChecksumAlgorithm: 'SHA256' }),
    )
    if (UploadId === undefined) throw new TargetProblem('refused', 'an upload without a name')
    const upload = { ...this.#bucket, Key, UploadId }
    try {
      const { parts, ...sent } = await this.#sendParts(upload, pieces, { memory, known })
      const digests = Buffer.concat(parts.map((part) => Buffer.from(part.ChecksumSHA256 ?? '', 'base64')))
      const { ETag = '' } = await this.#client.send(
        new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }),
      )
      const checksum = `${sha256(digests).toString('base64')}-${parts.length}`
      return { ...sent, checksum, etag: bare(ETag) }
    } catch (error) {
      await this.#abort(upload)
      throw error
    }
  }

  /** Resolves or rejects when no part is in transit. */
  async #sendParts(
    upload: Bucket & { Key: string; UploadId: string },
    pieces: AsyncIterable<Buffer>,
    { memory, known }: Sending,
  ) {
    const whole = known === undefined ? createHash('sha256') : undefined
    const parts: CompletedPart[] = []
    const underWay = new Set<Promise<void>>()
    let failure: { error: unknown } | undefined
    let bytes = 0
    const send = async (PartNumber: number, Body: Buffer) => {
      const ChecksumSHA256 = sha256(Body).toString('base64')
      const { ETag } = await this.#client.send(
        new UploadPartCommand({ ...upload, PartNumber, Body, ChecksumSHA256 }),
      )
      parts[PartNumber - 1] = { PartNumber, ETag, ChecksumSHA256 }
      // All parts have the same length, except the last.
      memory.push(Body)
    }
    const begin = async (piece: Buffer, number: number) => {
      const sent: Promise<void> = send(number, piece)
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => underWay.delete(sent))
      underWay.add(sent)
      if (underWay.size >= SIDE_BY_SIDE) await Promise.race(underWay)
      if (failure) throw failure.error
    }
    try {
      let number = 0
      for await (const piece of pieces) {
        whole?.update(piece)
        bytes += piece.length
        await begin(piece, ++number)
      }
    } finally {
      await Promise.all(underWay)
    }
    if (failure) throw (failure as { error: unknown }).error
    return { parts, bytes, sha256: whole?.digest('hex') ?? known ?? '' }
  }

  /**
   * Aborts unfinished uploads of this object by crashed processes. Without the permission to list them, the
   * bucket's lifecycle rule does it.
   */
  async #abortLeftOf(Key: string): Promise<void> {
    const found = await this.#client
      .send(new ListMultipartUploadsCommand({ ...this.#bucket, Prefix: Key }))
      .catch((error: unknown) => {
        if (statusOf(error) === 403) return undefined
        throw error
      })
    for (const upload of found?.Uploads ?? [])
      if (upload.Key === Key && upload.UploadId !== undefined)
        await this.#abort({ ...this.#bucket, Key, UploadId: upload.UploadId })
  }

  async #abort(upload: Bucket & { Key: string; UploadId: string }): Promise<void> {
    // Without the permission, or when it is gone, nothing is left to do.
    await this.#client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined)
  }

  /**
   * Compares the stored object with the uploaded one, by the server's checksum or by reading it. False: the
   * role may not read it. Throws TargetProblem `target_differs`.
   */
  async verify(Key: string, put: Put): Promise<boolean> {
    const head = await unlessForbidden(
      this.#client.send(new HeadObjectCommand({ ...this.#bucket, Key, ChecksumMode: 'ENABLED' })),
    )
    if (!head) return false
    assertSame(head, put)
    if (head.ChecksumSHA256 !== undefined) return true
    const found = await unlessForbidden(this.#client.send(new GetObjectCommand({ ...this.#bucket, Key })))
    if (!found) return false
    const digest = createHash('sha256')
    for await (const chunk of found.Body as AsyncIterable<Uint8Array>) digest.update(chunk)
    if (digest.digest('hex') !== put.sha256)
      throw new TargetProblem('target_differs', 'the bytes read back differ from the written ones')
    return true
  }
}

function assertSame(head: HeadObjectCommandOutput, put: Put): void {
  const differs = (what: string) => new TargetProblem('target_differs', `the target has another ${what}`)
  if (head.ContentLength !== put.bytes) throw differs('length')
  if (head.ChecksumSHA256 !== undefined && head.ChecksumSHA256 !== put.checksum) throw differs('checksum')
  if (put.etag !== '' && head.ETag !== undefined && bare(head.ETag) !== put.etag) throw differs('ETag')
}

async function unlessForbidden<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (statusOf(error) === 403) return undefined
    if (statusOf(error) === 404)
      throw new TargetProblem('target_differs', 'the object is missing', { cause: error })
    throw error
  })
}

/** A format adds little; a twentieth is enough. */
const partLength = (size: number): number => Math.max(PART, Math.ceil((size * 1.05) / MOST_PARTS))

const bare = (etag: string): string => etag.replaceAll('"', '')

async function* chained(first: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* first
  yield* rest
}

/**
 * The same bytes in pieces of `length`; only the last is shorter. Avoids tiny and oversized requests. Each
 * piece is a copy in `memory`, which the consumer returns for reuse.
 */
async function* rechunk(
  content: AsyncIterable<Uint8Array>,
  length: number,
  memory: Buffer[],
): AsyncGenerator<Buffer> {
  let into: Buffer = Buffer.alloc(0)
  let bytes = 0
  for await (const piece of content)
    for (let at = 0; at < piece.length;) {
      into = withRoom(into, bytes, Math.min(length, bytes + piece.length - at), { length, memory })
      const fits = piece.subarray(at, at + length - bytes)
      into.set(fits, bytes)
      at += fits.length
      bytes += fits.length
      if (bytes < length) continue
      yield into
      into = Buffer.alloc(0)
      bytes = 0
    }
  if (bytes > 0) yield into.subarray(0, bytes)
}

/** A buffer with room for `size` more bytes; grows by doubling, so that small items stay small. */
function withRoom(
  held: Buffer,
  bytes: number,
  size: number,
  { length, memory }: { length: number; memory: Buffer[] },
): Buffer {
  if (held.length >= size) return held
  const larger = memory.pop() ?? Buffer.allocUnsafeSlow(Math.min(length, Math.max(size, 2 * held.length)))
  held.copy(larger, 0, 0, bytes)
  return larger
}
