import { createHash, getFips } from 'node:crypto'
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
import { getDigest, runDigest, type RunningDigest } from './digests.ts'
import { TargetProblem } from './port.ts'
import { getStatus } from './s3-connect.ts'

/** Bytes of a part, larger when an object would have too many; concurrent parts. */
const PART = 8 << 20
const MAX_PARTS = 10_000
const SIDE_BY_SIDE = 3

/** A bucket with its owner, as each request names it: a later owner of the name gets nothing. */
export interface Bucket {
  Bucket: string
  ExpectedBucketOwner: string
}

/** An uploaded object, and the server's response. */
export interface PutResult {
  bytes: number
  sha256: string
  /**
   * The checksum that the server stores, in S3's form: base64; for an object in parts the SHA-256 of the parts'
   * digests, with their number. Undefined when the server stores none.
   */
  checksum: string | undefined
  /** Empty when unknown. */
  etag: string
  /**
   * The ETag that the content has on a server without checksums: the MD5 of the object, or of the MD5s of its
   * parts with their number. Undefined when the server stores checksums.
   */
  md5: string | undefined
}

/** Reused buffers for the parts, and the SHA-256 that the content must have. */
interface SendBuffers {
  memory: Buffer[]
  expected: string | undefined
}

/** Undefined where the operating system's rules forbid MD5: the object is read back. */
const getMd5 = async (content: Buffer): Promise<Buffer | undefined> =>
  getFips() === 1 ? undefined : getDigest('md5', content)

const sha256 = (content: Uint8Array): Buffer => createHash('sha256').update(content).digest()

/** Rejects content that is not what the caller announced, before the object becomes visible. */
function assertExpected(found: string, expected: string | undefined): void {
  if (expected !== undefined && found !== expected)
    throw new TargetProblem('source_differs', 'another SHA-256')
}

/** Puts and reads objects of one bucket. An object becomes visible whole or not at all. */
export class S3Objects {
  readonly #client: S3Client
  readonly #bucket: Bucket

  constructor(client: S3Client, bucket: Bucket) {
    this.#client = client
    this.#bucket = bucket
  }

  /**
   * Uploads with a digest of each body in the signature, so that the server refuses other bytes: the SHA-256,
   * which is also the stored checksum, or of the parts for a server without checksums the MD5, which is its ETag.
   * `size`: bytes of the plaintext, for the length of the parts. `expected`: the SHA-256 that the content must have.
   */
  async put(
    Key: string,
    content: AsyncIterable<Uint8Array>,
    size: number,
    expected?: string,
  ): Promise<PutResult> {
    const memory: Buffer[] = []
    const pieces = rechunk(content, partLength(size), memory)
    const first = await pieces.next()
    const second = first.done ? first : await pieces.next()
    if (!second.done)
      return this.#putParts(Key, chained([first.value as Buffer, second.value], pieces), { memory, expected })
    const Body = first.done ? Buffer.alloc(0) : first.value
    const digest = sha256(Body)
    assertExpected(digest.toString('hex'), expected)
    const checksum = digest.toString('base64')
    const { ETag = '', ChecksumSHA256 } = await this.#client.send(
      new PutObjectCommand({ ...this.#bucket, Key, Body, ChecksumSHA256: checksum }),
    )
    const md5 = ChecksumSHA256 === undefined ? (await getMd5(Body))?.toString('hex') : undefined
    return { bytes: Body.length, sha256: digest.toString('hex'), checksum, etag: bare(ETag), md5 }
  }

  async #putParts(Key: string, pieces: AsyncIterable<Buffer>, sending: SendBuffers): Promise<PutResult> {
    // The thread of the digests starts during the first two requests.
    const whole = runDigest('sha256', Infinity)
    try {
      await this.#getAbortLeft(Key)
      const { UploadId, ChecksumAlgorithm } = await this.#client.send(
        new CreateMultipartUploadCommand({ ...this.#bucket, Key, ChecksumAlgorithm: 'SHA256' }),
      )
      if (UploadId === undefined) throw new TargetProblem('refused', 'an upload without a name')
      const upload = { ...this.#bucket, Key, UploadId }
      // The operating system's rules may forbid MD5.
      const algorithm = ChecksumAlgorithm === undefined && getFips() === 0 ? 'md5' : 'sha256'
      try {
        const { memory, expected } = sending
        const sent = await this.#sendParts(upload, pieces, { memory, whole, algorithm })
        const found = (await whole.end()).toString('hex')
        assertExpected(found, expected)
        const { ETag = '' } = await this.#client.send(
          new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: sent.parts } }),
        )
        const put = { bytes: sent.bytes, sha256: found, etag: bare(ETag) }
        const digests = Buffer.concat(sent.digests)
        const number = `-${sent.parts.length}`
        return algorithm === 'md5'
          ? { ...put, checksum: undefined, md5: createHash('md5').update(digests).digest('hex') + number }
          : { ...put, checksum: sha256(digests).toString('base64') + number, md5: undefined }
      } catch (error) {
        await this.#abort(upload)
        throw error
      }
    } finally {
      whole.drop()
    }
  }

  /** Resolves or rejects when no part is in transit. */
  async #sendParts(
    upload: Bucket & { Key: string; UploadId: string },
    pieces: AsyncIterable<Buffer>,
    { memory, whole, algorithm }: { memory: Buffer[]; whole: RunningDigest; algorithm: 'sha256' | 'md5' },
  ) {
    const parts: CompletedPart[] = []
    const digests: Buffer[] = []
    const underWay = new Set<Promise<void>>()
    let failure: { error: unknown } | undefined
    let bytes = 0
    const send = async (PartNumber: number, Body: Buffer) => {
      const [digest] = await Promise.all([getDigest(algorithm, Body), whole.update(Body)])
      const base64 = digest.toString('base64')
      const sum = algorithm === 'md5' ? { ContentMD5: base64 } : { ChecksumSHA256: base64 }
      const { ETag } = await this.#client.send(new UploadPartCommand({ ...upload, PartNumber, Body, ...sum }))
      parts[PartNumber - 1] = { PartNumber, ETag, ChecksumSHA256: sum.ChecksumSHA256 }
      digests[PartNumber - 1] = digest
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
        bytes += piece.length
        await begin(piece, ++number)
      }
      await Promise.all(underWay)
      if (failure) throw (failure as { error: unknown }).error
      return { parts, digests, bytes }
    } finally {
      await Promise.all(underWay)
    }
  }

  /**
   * Aborts unfinished uploads of this object by crashed processes. Without the permission to list them, the
   * bucket's lifecycle rule does it.
   */
  async #getAbortLeft(Key: string): Promise<void> {
    const found = await this.#client
      .send(new ListMultipartUploadsCommand({ ...this.#bucket, Prefix: Key }))
      .catch((error: unknown) => {
        if (getStatus(error) === 403) return undefined
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
   * Compares the stored object with the uploaded one: by the server's SHA-256, by its MD5 in the ETag, or by
   * reading it. False: the role may not read it. Throws TargetProblem `target_differs`.
   */
  async verify(Key: string, put: PutResult): Promise<boolean> {
    const head = await unlessForbidden(
      this.#client.send(new HeadObjectCommand({ ...this.#bucket, Key, ChecksumMode: 'ENABLED' })),
    )
    if (!head) return false
    assertSame(head, put)
    if (head.ChecksumSHA256 !== undefined && put.checksum !== undefined) return true
    // With a key of the customer, the ETag is no MD5.
    if (put.md5 !== undefined && bare(head.ETag ?? '') === put.md5) return true
    const found = await unlessForbidden(this.#client.send(new GetObjectCommand({ ...this.#bucket, Key })))
    if (!found) return false
    const digest = createHash('sha256')
    for await (const chunk of found.Body as AsyncIterable<Uint8Array>) digest.update(chunk)
    if (digest.digest('hex') !== put.sha256)
      throw new TargetProblem('target_differs', 'the bytes read back differ from the written ones')
    return true
  }
}

function assertSame(head: HeadObjectCommandOutput, put: PutResult): void {
  const differs = (what: string) => new TargetProblem('target_differs', `the target has another ${what}`)
  if (head.ContentLength !== put.bytes) throw differs('length')
  if (head.ChecksumSHA256 !== undefined && head.ChecksumSHA256 !== (put.checksum ?? head.ChecksumSHA256))
    throw differs('checksum')
  if (put.etag !== '' && head.ETag !== undefined && bare(head.ETag) !== put.etag) throw differs('ETag')
}

async function unlessForbidden<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (getStatus(error) === 403) return undefined
    if (getStatus(error) === 404)
      throw new TargetProblem('target_differs', 'the object is missing', { cause: error })
    throw error
  })
}

/** A format adds little; a twentieth is enough. */
const partLength = (size: number): number => Math.max(PART, Math.ceil((size * 1.05) / MAX_PARTS))

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
  const larger = memory.pop() ?? newBuffer(Math.min(length, Math.max(size, 2 * held.length)), length)
  held.copy(larger, 0, 0, bytes)
  return larger
}

/** A whole part lies in shared memory, which the threads of the digests read. */
const newBuffer = (size: number, whole: number): Buffer =>
  size === whole ? Buffer.from(new SharedArrayBuffer(size)) : Buffer.allocUnsafeSlow(size)
