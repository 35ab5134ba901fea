import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { checkContent, consume, discard } from './filesystem-commit.ts'
import { assertObjectKey, assertPrefix } from './key.ts'
import { ObjectExists, ObjectNotFound, type ObjectStore, ObjectStoreUnavailable } from './port.ts'
import { inParallel } from './filesystem.ts'
import { inSpan } from '../tracing.ts'

const partSize = 8 << 20
const mostParts = 10_000
/** Objects deleted at a time. */
const DELETED_AT_ONCE = 16
/** Key under which `health` writes a test object. */
const PROBE = 'health'

/**
 * Milliseconds for a connection, for a request with its part up to the response, and for the next bytes of a
 * body. A silent server times out; the SDK tries once again.
 */
const PATIENCE = { connection: 3_000, answer: 15_000, bytes: 15_000, attempts: 2, health: 2_500 } as const

export type S3Config = {
  bucket: string
  region: string
  /** Another server than AWS, such as `http://127.0.0.1:7480`. */
  endpoint?: string
  /** Both or none: without them the SDK's own chain applies (environment, profile, instance role). */
  access_key_id?: string
  secret_access_key?: string
  /** Bucket in the path instead of the host name; most servers other than AWS need it. */
  force_path_style?: boolean
  /** False for servers that refuse If-None-Match; writing once then relies on an earlier check. */
  conditional_writes?: boolean
  /** Epoch seconds. */
  now: () => number
}

/**
 * Objects in an S3 bucket. The bucket must exist, with versioning off unless old versions may outlive a delete. A lifecycle
 * rule that aborts incomplete multipart uploads does what `sweep` does.
 */
export function s3Store(config: S3Config): ObjectStore {
  const bucket: Bucket = {
    client: connect(config, { socketTimeout: PATIENCE.bytes }),
    reader: connect(config, {}),
    Bucket: config.bucket,
    once: config.conditional_writes === false ? {} : { IfNoneMatch: '*' },
    now: config.now,
  }
  const reads = readsOf(bucket)
  return { kind: 's3', ...reads, ...writesOf(bucket, reads), ...addressesOf(bucket), ...upkeepOf(bucket) }
}

interface Bucket {
  client: S3Client
  /** Bodies wait for their reader, perhaps a paused player, so only our own waiting has a timeout. */
  reader: S3Client
  Bucket: string
  /** The condition of a write. */
  once: { IfNoneMatch?: string }
  now: () => number
}

function readsOf({ client, reader, Bucket }: Bucket): Pick<ObjectStore, 'read' | 'head' | 'list'> {
  const reads: Pick<ObjectStore, 'read' | 'head' | 'list'> = {
    async *read(key, range) {
      assertObjectKey(key)
      const { start, end } = range ?? { start: 0, end: Infinity }
      if (!(start >= 0 && end >= start)) throw new RangeError(`impossible range ${start}-${end}`)
      const found = range && (await reads.head(key))
      if (range && !found) throw new ObjectNotFound(key)
      // S3 refuses empty ranges, which clients request at the end of an object.
      if (found && Math.min(end, found.size) <= start) return
      const Range = range && `bytes=${start}-${end === Infinity ? '' : end - 1}`
      const { Body } = await onS3(key, () => reader.send(new GetObjectCommand({ Bucket, Key: key, Range })))
      if (!(Body instanceof Readable)) throw new ObjectStoreUnavailable(`S3 sent no body for ${key}`)
      try {
        yield* steady(Body)
      } catch (error) {
        throw translate(key, error)
      } finally {
        Body.destroy()
      }
    },

    async head(key) {
      assertObjectKey(key)
      try {
        const found = await onS3(key, () => client.send(new HeadObjectCommand({ Bucket, Key: key })))
        return { size: found.ContentLength ?? 0 }
      } catch (error) {
        if (error instanceof ObjectNotFound) return undefined
        throw error
      }
    },

    async *list(prefix) {
      assertPrefix(prefix)
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })[Symbol.asyncIterator]()
      for (;;) {
        const page = await onS3(prefix, () => pages.next())
        if (page.done) return
        for (const { Key, Size, LastModified } of page.value.Contents ?? []) {
          if (Key === undefined || Size === undefined || LastModified === undefined) continue
          yield { key: Key, size: Size, modified_at: Math.floor(LastModified.getTime() / 1000) }
        }
      }
    },
  }
  return reads
}

function writesOf(
  { client, Bucket, once }: Bucket,
  reads: Pick<ObjectStore, 'read' | 'head'>,
): Pick<ObjectStore, 'put' | 'ensureDurable' | 'delete'> {
  return {
    async put(key, source, expect) {
      assertObjectKey(key)
      if (await reads.head(key)) {
        await discard(source)
        throw new ObjectExists(key)
      }
      const content = checkContent(source, expect)
      const Body = Readable.from(content.chunks, { objectMode: true, highWaterMark: 1 })
      const size = Math.max(partSize, Math.ceil((expect?.size ?? 0) / mostParts))
      try {
        // A refused source ends the body with an error, so the upload is aborted and never completed.
        await new Upload({ client, partSize: size, params: { Bucket, Key: key, Body, ...once } }).done()
      } catch (error) {
        throw content.failure()?.error ?? translate(key, error)
      } finally {
        Body.destroy()
      }
      return content.result()
    },

    // A visible object of a bucket is durable.
    async ensureDurable(key, expect) {
      const found = await reads.head(key)
      if (found && expect) await consume(checkContent(reads.read(key), expect).chunks)
      return found
    },

    async delete(...keys) {
      for (const key of keys) assertObjectKey(key)
      await inParallel(keys, DELETED_AT_ONCE, (Key) =>
        onS3(Key, () => client.send(new DeleteObjectCommand({ Bucket, Key }))),
      )
    },
  }
}

function addressesOf({ client, Bucket, once, now }: Bucket): Pick<ObjectStore, 'uploadAddress'> {
  return {
    async uploadAddress({ key, size, sha256, expires_at }) {
      assertObjectKey(key)
      const digest = Buffer.from(sha256, 'hex').toString('base64')
      const command = new PutObjectCommand({
        Bucket,
        Key: key,
        ContentLength: size,
        ChecksumSHA256: digest,
        ...once,
      })
      const url = await getSignedUrl(client, command, {
        expiresIn: Math.max(1, expires_at - now()),
        // Signed headers bind the device; in the query they would not.
        unhoistableHeaders: new Set(['x-amz-checksum-sha256']),
        signableHeaders: new Set(['host', 'content-length', 'if-none-match', 'x-amz-checksum-sha256']),
      })
      const condition: Record<string, string> = once.IfNoneMatch ? { 'if-none-match': once.IfNoneMatch } : {}
      return { url, headers: { 'x-amz-checksum-sha256': digest, ...condition } }
    },
  }
}

/** Interrupted uploads, and whether the bucket works. */
function upkeepOf({ client, Bucket }: Bucket): Pick<ObjectStore, 'sweep' | 'leftovers' | 'health'> {
  async function* interrupted(before: number): AsyncGenerator<{ Key: string; UploadId: string }> {
    let page: ListMultipartUploadsCommandOutput | undefined
    do {
      const after = { KeyMarker: page?.NextKeyMarker, UploadIdMarker: page?.NextUploadIdMarker }
      page = await onS3('', () => client.send(new ListMultipartUploadsCommand({ Bucket, ...after })))
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Key && UploadId && Initiated && Initiated.getTime() < before * 1000) yield { Key, UploadId }
      }
    } while (page.IsTruncated)
  }

  return {
    async sweep(before) {
      let swept = 0
      for await (const { Key, UploadId } of interrupted(before)) {
        await onS3(Key, () => client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })))
        swept++
      }
      return swept
    },

    async leftovers(before) {
      let left = 0
      for await (const _ of interrupted(before)) left++
      return left
    },

    async health() {
      // Writes like a device: a readable bucket may refuse every upload (quota, permissions, a full disk).
      const abortSignal = AbortSignal.timeout(PATIENCE.health)
      try {
        const Key = `${PROBE}/${randomUUID()}`
        await client.send(new PutObjectCommand({ Bucket, Key, Body: 'probe' }), { abortSignal })
        await client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal })
      } catch (error) {
        throw translate(`${PROBE} in bucket ${Bucket}`, error)
      }
    },
  }
}

/** The chunks of a body, which ends with a TimeoutError when the next one is late. */
async function* steady(body: Readable): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]()
  const timeoutError = Object.assign(new Error('the body fell silent'), { name: 'TimeoutError' })
  for (;;) {
    const timer = setTimeout(() => body.destroy(timeoutError), PATIENCE.bytes)
    const step = await chunks.next().finally(() => clearTimeout(timer))
    if (step.done) return
    yield step.value as Buffer
  }
}

function connect(config: S3Config, bytes: { socketTimeout?: number }): S3Client {
  const { access_key_id, secret_access_key } = config
  const client = new S3Client({
    region: config.region,
    endpoint: config.endpoint,
    forcePathStyle: config.force_path_style ?? false,
    credentials:
      access_key_id && secret_access_key
        ? { accessKeyId: access_key_id, secretAccessKey: secret_access_key }
        : undefined,
    // By default the SDK signs the CRC32 of an empty body into upload addresses, which several servers
    // enforce.
    requestHandler: {
      connectionTimeout: PATIENCE.connection,
      requestTimeout: PATIENCE.answer,
      throwOnRequestTimeout: true,
      ...bytes,
    },
    maxAttempts: PATIENCE.attempts,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) =>
        inSpan('call', `S3 ${commandName}`, () => next(args)),
    { step: 'initialize' },
  )
  return client
}

/** Runs an S3 request about `key` and maps its errors to the port's. */
async function onS3<T>(key: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    throw translate(key, error)
  }
}

/** The port's error for an error of the SDK or the connection. */
function translate(key: string, error: unknown): Error {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
  const name = error instanceof Error ? error.name : ''
  // A missing bucket also has status 404, but it is a fault of the installation and not a missing object.
  if (status === 404 && name !== 'NoSuchBucket') return new ObjectNotFound(key)
  // 409: a concurrent conditional write to the same key will win.
  if (status === 412 || name === 'ConditionalRequestConflict') return new ObjectExists(key)
  if (name === 'TimeoutError' || name === 'AbortError')
    return new ObjectStoreUnavailable(`S3 did not answer in time about ${key}`, { cause: error })
  const reason = error instanceof Error ? `${name}: ${error.message}` : String(error)
  return new ObjectStoreUnavailable(`S3 refused ${key}: ${reason}`, { cause: error })
}
