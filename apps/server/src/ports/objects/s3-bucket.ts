import { randomUUID } from 'node:crypto'
import {
  DeleteObjectCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  type LifecycleRule,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
  PutObjectRetentionCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { StoreFault } from '@custodia/contract'
import { inSpan } from '../tracing.ts'
import {
  assertObjectKey,
  type BrokenLock,
  type ListedObject,
  ObjectExists,
  type ObjectLock,
  ObjectNotFound,
  ObjectStoreUnavailable,
} from './port.ts'

/**
 * Milliseconds for a connection, and for a response or the next bytes of a body. A silent server times out; the SDK
 * tries once again.
 */
export const PATIENCE = {
  connection: 3_000,
  answer: 15_000,
  attempts: 2,
  health: 2_500,
} as const

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
  /** Whether originals are locked; the bucket needs Object Lock. */
  object_lock?: boolean
  /** Milliseconds for a response or the next bytes; default: `PATIENCE.answer`. */
  patience?: number
  /** Epoch seconds. */
  now: () => number
}

/** A client of the S3 service. */
export function connect(config: S3Config, bytes: { socketTimeout?: number }): S3Client {
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
      requestTimeout: config.patience ?? PATIENCE.answer,
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
export async function onS3<T>(key: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    throw translate(key, error)
  }
}

/** The port's error for an error of the SDK or the connection. */
export function translate(key: string, error: unknown): Error {
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

/** Where canary objects are. */
const CANARY = 'health/lock-'
/** Seconds for which a canary is locked; a later attack removes it. */
const CANARY_LOCKED = 3600
/** Milliseconds for which the versioning of the bucket counts as known. */
const KNOWN_FOR = 600_000

interface Bucket {
  client: S3Client
  Bucket: string
  /** Epoch seconds. */
  now: () => number
}

interface Version extends ListedObject {
  version_id: string
  is_marker: boolean
}

/** Whether a key is that of a canary, which is no object of the archive. */
export const isCanary = (key: string): boolean => key.startsWith(CANARY)

/**
 * Answers whether the bucket keeps versions. A bucket that may not be asked counts as one without, unless its objects
 * are locked.
 */
export function versioning({ client, Bucket }: Bucket, hasLock: boolean): () => Promise<boolean> {
  let known: { keeps: boolean; until: number } | undefined
  return async () => {
    if (hasLock) return true
    if (known && known.until > Date.now()) return known.keeps
    const keeps = await client.send(new GetBucketVersioningCommand({ Bucket })).then(
      // A suspended bucket has versions from before.
      ({ Status }) => Status !== undefined,
      (error: unknown) => {
        if (isRefused(error)) return false
        throw translate(`the versioning of bucket ${Bucket}`, error)
      },
    )
    known = { keeps, until: Date.now() + KNOWN_FOR }
    return keeps
  }
}

/** Versions and delete markers of the keys that start with a prefix, the newest of each key first. */
export async function* getVersions(
  { client, Bucket }: Pick<Bucket, 'client' | 'Bucket'>,
  Prefix: string,
): AsyncGenerator<Version> {
  let page: ListObjectVersionsCommandOutput | undefined
  do {
    const after = { KeyMarker: page?.NextKeyMarker, VersionIdMarker: page?.NextVersionIdMarker }
    page = await onS3(Prefix, () => client.send(new ListObjectVersionsCommand({ Bucket, Prefix, ...after })))
    const { Versions = [], DeleteMarkers = [] } = page
    const both = [
      ...Versions.map((each) => ({ ...each, is_marker: false })),
      ...DeleteMarkers.map((each) => ({ ...each, Size: 0, is_marker: true })),
    ]
    for (const { Key: key, VersionId: version_id, Size: size = 0, LastModified, is_marker } of both) {
      if (key === undefined || version_id === undefined || LastModified === undefined) continue
      yield { key, version_id, size, modified_at: Math.floor(LastModified.getTime() / 1000), is_marker }
    }
  } while (page.IsTruncated)
}

/** The version that lies below delete markers: the locked one, else the oldest, because objects are written once. */
export async function coveredVersion(
  bucket: Pick<Bucket, 'client' | 'Bucket'>,
  Key: string,
): Promise<string | undefined> {
  const { client, Bucket } = bucket
  const versions: string[] = []
  for await (const { key, is_marker, version_id } of getVersions(bucket, Key))
    if (key === Key && !is_marker) versions.unshift(version_id)
  if (versions.length < 2) return versions[0]
  for (const VersionId of versions) {
    const at = { Bucket, Key, VersionId }
    const found = await onS3(Key, () => client.send(new HeadObjectCommand(at)))
    if (found.ObjectLockMode || found.ObjectLockLegalHoldStatus === 'ON') return VersionId
  }
  return versions[0]
}

/** Locks of single versions, in COMPLIANCE mode. */
export function getLock(bucket: Bucket): ObjectLock {
  const { client, Bucket, now } = bucket
  return {
    async set(key, { retain_until, is_held, version_id }) {
      assertObjectKey(key)
      const found = await getHead(bucket, key, version_id ?? undefined)
      if (found?.VersionId === undefined) return undefined
      const { VersionId } = found
      const at = { Bucket, Key: key, VersionId }
      const until = found.ObjectLockRetainUntilDate
      let locked_until = until ? Math.floor(until.getTime() / 1000) : null
      // A date in the past is refused, and protects nothing.
      if (retain_until !== null && retain_until > Math.max(locked_until ?? 0, now())) {
        await onS3(key, () => client.send(new PutObjectRetentionCommand(retention(at, retain_until))))
        locked_until = retain_until
      }
      if (is_held !== (found.ObjectLockLegalHoldStatus === 'ON'))
        await onS3(key, () =>
          client.send(
            new PutObjectLegalHoldCommand({ ...at, LegalHold: { Status: is_held ? 'ON' : 'OFF' } }),
          ),
        )
      return { version_id: VersionId, locked_until, lock_held: is_held }
    },

    async attack() {
      await removeCanaries(bucket)
      const Key = `${CANARY}${randomUUID()}`
      const put = new PutObjectCommand({ Bucket, Key, Body: 'canary' })
      const { VersionId } = await onS3(Key, () => client.send(put))
      const at = { Bucket, Key, VersionId }
      const locked = retention(at, now() + CANARY_LOCKED)
      if (!(await succeeds(Key, () => client.send(new PutObjectRetentionCommand(locked)))))
        return ['not_locked']
      const weaker = { ...locked, Retention: { ...locked.Retention, Mode: 'GOVERNANCE' as const } }
      const attempts: [BrokenLock, () => Promise<unknown>][] = [
        ['shortened', () => client.send(new PutObjectRetentionCommand(retention(at, now() + 60)))],
        ['weakened', () => client.send(new PutObjectRetentionCommand(weaker))],
        ['deleted', () => client.send(new DeleteObjectCommand({ ...at, BypassGovernanceRetention: true }))],
      ]
      const broken: BrokenLock[] = []
      for (const [name, attempt] of attempts) if (await succeeds(Key, attempt)) broken.push(name)
      return broken
    },
  }
}

/** The headers of a version; undefined: there is none. Without an id the present version, also below a delete marker. */
async function getHead(
  bucket: Bucket,
  Key: string,
  version: string | undefined,
): Promise<HeadObjectCommandOutput | undefined> {
  const { client, Bucket } = bucket
  const head = (VersionId: string | undefined) =>
    onS3(Key, () => client.send(new HeadObjectCommand({ Bucket, Key, VersionId }))).catch(
      (error: unknown) => {
        if (error instanceof ObjectNotFound) return undefined
        throw error
      },
    )
  const found = await head(version)
  if (found || version !== undefined) return found
  const covered = await coveredVersion(bucket, Key)
  return covered === undefined ? undefined : head(covered)
}

const retention = (at: { Bucket: string; Key: string; VersionId: string | undefined }, until: number) => ({
  ...at,
  Retention: { Mode: 'COMPLIANCE' as const, RetainUntilDate: new Date(until * 1000) },
})

/** Removes canaries whose lock has ended. */
async function removeCanaries(bucket: Bucket): Promise<void> {
  const { client, Bucket } = bucket
  for await (const { key: Key, version_id: VersionId } of getVersions(bucket, CANARY))
    await succeeds(Key, () => client.send(new DeleteObjectCommand({ Bucket, Key, VersionId })))
}

/** Whether the store does it. Throws unless it refuses. */
async function succeeds(key: string, request: () => Promise<unknown>): Promise<boolean> {
  try {
    await request()
    return true
  } catch (error) {
    if (isRefused(error)) return false
    throw translate(key, error)
  }
}

const isRefused = (error: unknown): boolean =>
  error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 500) < 500

/** Settings of the bucket that make a promise untrue. */
export async function settingFaults({ client, Bucket }: Bucket, hasLock: boolean): Promise<StoreFault[]> {
  const read = <T>(request: () => Promise<T>): Promise<T | string> =>
    request().catch((error: unknown) => {
      if (error instanceof S3ServiceException && isRefused(error)) return error.name
      throw translate(`the settings of bucket ${Bucket}`, error)
    })
  const [versions, lock, lifecycle] = await Promise.all([
    read(() => client.send(new GetBucketVersioningCommand({ Bucket }))),
    read(() => client.send(new GetObjectLockConfigurationCommand({ Bucket }))),
    read(() => client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))),
  ])
  const faults: StoreFault[] = []
  const hides = (answer: unknown) => answer === 'AccessDenied' || answer === 'MethodNotAllowed'
  if (hasLock && typeof versions !== 'string' && versions.Status !== 'Enabled') faults.push('versioning_off')
  if (
    hasLock &&
    !hides(lock) &&
    (typeof lock === 'string' || !lock.ObjectLockConfiguration?.ObjectLockEnabled)
  )
    faults.push('lock_off')
  if (typeof lock !== 'string' && lock.ObjectLockConfiguration?.Rule) faults.push('default_retention')
  if (typeof lifecycle !== 'string' && (lifecycle.Rules ?? []).some(removesObjects))
    faults.push('lifecycle_rules')
  if (hasLock && [versions, lock, lifecycle].some(hides)) faults.push('settings_hidden')
  return faults
}

/** Whether a rule removes objects or moves them. Aborting interrupted uploads is welcome. */
const removesObjects = (rule: LifecycleRule): boolean =>
  rule.Status === 'Enabled' &&
  [
    rule.Expiration?.Days,
    rule.Expiration?.Date,
    rule.NoncurrentVersionExpiration,
    rule.Transitions?.length,
    rule.NoncurrentVersionTransitions?.length,
  ].some(Boolean)
