import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  paginateListObjectsV2,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { checkContent, consume, discard } from './filesystem-commit.ts'
import { inParallel } from './filesystem.ts'
import {
  assertObjectKey,
  assertPrefix,
  ObjectExists,
  ObjectNotFound,
  type ObjectStore,
  ObjectStoreUnavailable,
} from './port.ts'
import {
  connect,
  coveredVersion,
  isCanary,
  getLock,
  onS3,
  PATIENCE,
  type S3Config,
  settingFaults,
  translate,
  versioning,
  getVersions,
} from './s3-bucket.ts'

const partSize = 8 << 20
const mostParts = 10_000
/** Objects deleted at a time. */
const DELETED_AT_ONCE = 16
/** Key under which `health` writes a test object. */
const PROBE = 'health'

/**
 * Objects in an S3 bucket, which must exist. Where it keeps versions, a deletion removes all of an object's. A lifecycle
 * rule that aborts incomplete multipart uploads does what `sweep` does.
 */
export function s3Store(config: S3Config): ObjectStore {
  const hasLock = config.object_lock === true
  const { patience = PATIENCE.answer } = config
  const client = connect(config, { socketTimeout: patience })
  const named = { client, Bucket: config.bucket, now: config.now }
  const bucket: Bucket = {
    ...named,
    reader: connect(config, {}),
    patience,
    once: config.conditional_writes === false ? {} : { IfNoneMatch: '*' },
    hasLock,
    keepsVersions: versioning(named, hasLock),
  }
  const reads = getReads(bucket)
  return {
    kind: 's3',
    ...reads,
    ...getWrites(bucket, reads),
    ...getAddresses(bucket),
    ...getMaintenance(bucket),
    ...(hasLock ? { lock: getLock(bucket) } : {}),
    settingFaults: () => settingFaults(bucket, hasLock),
  }
}

interface Bucket {
  client: ReturnType<typeof connect>
  /** Bodies wait for their reader, perhaps a paused player, so only our own waiting has a timeout. */
  reader: ReturnType<typeof connect>
  /** Milliseconds for the next bytes of a body. */
  patience: number
  Bucket: string
  /** The condition of a write. */
  once: { IfNoneMatch?: string }
  now: () => number
  /** Whether originals are locked. */
  hasLock: boolean
  keepsVersions: () => Promise<boolean>
}

function getReads(bucket: Bucket): Pick<ObjectStore, 'read' | 'head' | 'list'> {
  const { client, reader, Bucket } = bucket
  /** Asks for an object, or for the version below a delete marker that a person has put there. */
  const found = async <T>(Key: string, ask: (at: { Key: string; VersionId?: string }) => Promise<T>) => {
    try {
      return await onS3(Key, () => ask({ Key }))
    } catch (error) {
      const VersionId =
        bucket.hasLock && error instanceof ObjectNotFound ? await coveredVersion(bucket, Key) : undefined
      if (VersionId === undefined) throw error
      return onS3(Key, () => ask({ Key, VersionId }))
    }
  }
  const reads: Pick<ObjectStore, 'read' | 'head' | 'list'> = {
    async *read(key, range) {
      assertObjectKey(key)
      const { start, end } = range ?? { start: 0, end: Infinity }
      if (!(start >= 0 && end >= start)) throw new RangeError(`impossible range ${start}-${end}`)
      const there = range && (await reads.head(key))
      if (range && !there) throw new ObjectNotFound(key)
      // S3 refuses empty ranges, which clients request at the end of an object.
      if (there && Math.min(end, there.size) <= start) return
      const Range = range && `bytes=${start}-${end === Infinity ? '' : end - 1}`
      const { Body } = await found(key, (at) => reader.send(new GetObjectCommand({ Bucket, ...at, Range })))
      if (!(Body instanceof Readable)) throw new ObjectStoreUnavailable(`S3 sent no body for ${key}`)
      try {
        yield* steady(Body, bucket.patience)
      } catch (error) {
        throw translate(key, error)
      } finally {
        Body.destroy()
      }
    },

    async head(key) {
      assertObjectKey(key)
      try {
        const there = await found(key, (at) => client.send(new HeadObjectCommand({ Bucket, ...at })))
        return { size: there.ContentLength ?? 0 }
      } catch (error) {
        if (error instanceof ObjectNotFound) return undefined
        throw error
      }
    },

    async *list(prefix, hidden) {
      assertPrefix(prefix)
      if (hidden && (await bucket.keepsVersions())) return yield* getVersions(bucket, prefix)
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })[Symbol.asyncIterator]()
      for (;;) {
        const page = await onS3(prefix, () => pages.next())
        if (page.done) return
        for (const { Key, Size, LastModified } of page.value.Contents ?? []) {
          if (Key === undefined || Size === undefined || LastModified === undefined || isCanary(Key)) continue
          yield { key: Key, size: Size, modified_at: Math.floor(LastModified.getTime() / 1000) }
        }
      }
    },
  }
  return reads
}

function getWrites(
  bucket: Bucket,
  reads: Pick<ObjectStore, 'read' | 'head'>,
): Pick<ObjectStore, 'put' | 'ensureDurable' | 'delete'> {
  const { client, Bucket, once } = bucket
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
      const hasVersions = await bucket.keepsVersions()
      await inParallel(keys, DELETED_AT_ONCE, async (Key) => {
        if (!hasVersions) return onS3(Key, () => client.send(new DeleteObjectCommand({ Bucket, Key })))
        for await (const { key, version_id: VersionId } of getVersions(bucket, Key))
          if (key === Key)
            await onS3(Key, () => client.send(new DeleteObjectCommand({ Bucket, Key, VersionId })))
      })
    },
  }
}

function getAddresses({ client, Bucket, once, now }: Bucket): Pick<ObjectStore, 'uploadAddress'> {
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
function getMaintenance({ client, Bucket }: Bucket): Pick<ObjectStore, 'sweep' | 'leftovers' | 'health'> {
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
        const put = new PutObjectCommand({ Bucket, Key, Body: 'probe' })
        const { VersionId } = await client.send(put, { abortSignal })
        await client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }), { abortSignal })
      } catch (error) {
        throw translate(`${PROBE} in bucket ${Bucket}`, error)
      }
    },
  }
}

/** The chunks of a body, which ends with a TimeoutError when the next one is late. */
async function* steady(body: Readable, patience: number): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]()
  const timeoutError = Object.assign(new Error('the body fell silent'), { name: 'TimeoutError' })
  for (;;) {
    const timer = setTimeout(() => body.destroy(timeoutError), patience)
    const step = await chunks.next().finally(() => clearTimeout(timer))
    if (step.done) return
    yield step.value as Buffer
  }
}
