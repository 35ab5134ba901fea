import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it, test, type TestContext } from 'node:test'
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
  PutObjectRetentionCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { radosgwAvailable, type S3Server, startRadosgw } from '../../testing/radosgw.ts'
import { requirePart } from '../../testing/require-part.ts'
import { hangingServer } from '../../testing/silent-peers.ts'
import { collect, conformance, pieces, sha256 } from './port.conformance.ts'
import { ObjectExists, type ObjectStore, ObjectStoreUnavailable } from './port.ts'
import { PATIENCE } from './s3-bucket.ts'
import { s3Store } from './s3.ts'

const part = requirePart('radosgw', radosgwAvailable())
let started: Promise<S3Server> | undefined
after(async () => (await started?.catch(() => undefined))?.stop())
const now = () => Math.floor(Date.now() / 1000)

async function bucket(hasLock = false) {
  const { endpoint, accessKeyId, secretAccessKey } = await (started ??= startRadosgw())
  const name = `b-${randomBytes(6).toString('hex')}`
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: name, ObjectLockEnabledForBucket: hasLock }))
  const config = {
    bucket: name,
    endpoint,
    region: 'us-east-1',
    force_path_style: true,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    object_lock: hasLock,
    now,
  }
  return { config, client, store: s3Store(config) }
}

conformance('s3 (radosgw)', part, async () => (await bucket()).store)

test('binds an upload address to length, digest and one write, without an empty-body checksum', async () => {
  const store = s3Store({
    bucket: 'b',
    region: 'eu-central-1',
    access_key_id: 'AK',
    secret_access_key: 'SK',
    now,
  })
  const digest = sha256(Buffer.from('x'))
  const grant = { key: 'c/p/original', size: 1, sha256: digest, expires_at: now() + 600 }
  const { url, headers } = await store.uploadAddress(grant)
  assert.ok(!/crc32/i.test(url))
  const query = new URL(url).searchParams
  assert.equal(query.get('X-Amz-SignedHeaders'), 'content-length;host;if-none-match;x-amz-checksum-sha256')
  assert.ok(Number(query.get('X-Amz-Expires')) > 590)
  assert.deepEqual(headers, {
    'x-amz-checksum-sha256': Buffer.from(digest, 'hex').toString('base64'),
    'if-none-match': '*',
  })
})

test('reports an unreachable server as ObjectStoreUnavailable', async () => {
  const endpoint = 'http://127.0.0.1:1'
  const store = s3Store({
    bucket: 'b',
    region: 'r',
    endpoint,
    access_key_id: 'AK',
    secret_access_key: 'SK',
    now,
  })
  await assert.rejects(store.head('a'), ObjectStoreUnavailable)
  await assert.rejects(store.health(), ObjectStoreUnavailable)
})

describe('S3 upload addresses on a real server', part, () => {
  const upload = async (
    address: { url: string; headers: Record<string, string> },
    body: Buffer<ArrayBuffer>,
  ) => (await fetch(address.url, { method: 'PUT', body, headers: address.headers })).status

  test('accept exactly the announced length, once', async () => {
    const { store } = await bucket()
    const bytes = randomBytes(1000)
    const grant = { key: 'c/p/original', size: 1000, sha256: sha256(bytes), expires_at: now() + 600 }
    const address = await store.uploadAddress(grant)
    assert.equal(await upload(address, randomBytes(1001)), 403)
    assert.equal(await upload({ ...address, headers: {} }, bytes), 403)
    assert.equal(await upload({ ...address, url: address.url.replace('/c/p/', '/c/q/') }, bytes), 403)
    assert.equal(await store.head(grant.key), undefined)
    assert.equal(await upload(address, bytes), 200)
    assert.equal(await upload(address, bytes), 412)
    assert.ok((await collect(store.read(grant.key))).equals(bytes))
  })

  test('the store reports wrong keys and missing buckets, and sweeps abandoned uploads', async () => {
    const { store, config, client } = await bucket()
    for (const wrong of [{ secret_access_key: 'no' }, { bucket: 'missing-bucket' }]) {
      const other = s3Store({ ...config, ...wrong })
      await assert.rejects(other.put('a', pieces(Buffer.from('x'))), ObjectStoreUnavailable)
      await assert.rejects(collect(other.read('a')), ObjectStoreUnavailable)
      await assert.rejects(other.health(), ObjectStoreUnavailable)
    }
    await client.send(new CreateMultipartUploadCommand({ Bucket: config.bucket, Key: 'a' }))
    assert.equal(await store.sweep(now() - 3600), 0)
    assert.equal(await store.leftovers(now() + 3600), 1)
    assert.equal(await store.sweep(now() + 3600), 1)
    assert.equal(await store.leftovers(now() + 3600), 0)
    assert.equal(await store.sweep(now() + 3600), 0)
  })
})

describe('locks of a real S3 server', part, () => {
  const put = (store: ObjectStore, key: string) => store.put(key, pieces(Buffer.from('evidence')))
  const getStatus = (request: Promise<{ $metadata: { httpStatusCode?: number } }>) =>
    request.then(
      ({ $metadata }) => $metadata.httpStatusCode,
      (error: { $metadata: { httpStatusCode?: number } }) => error.$metadata.httpStatusCode,
    )

  test('keep an object from the owner of the bucket until its date', async () => {
    const { store, client, config } = await bucket(true)
    const Key = 'c/p/original-0'
    await put(store, Key)
    const until = now() + 3600
    const locked = await store.lock?.set(Key, { retain_until: until, is_held: false })
    assert.deepEqual([locked?.locked_until, locked?.lock_held], [until, false])
    const at = { Bucket: config.bucket, Key, VersionId: locked?.version_id }
    const retain = (seconds: number) => ({
      ...at,
      Retention: { Mode: 'COMPLIANCE' as const, RetainUntilDate: new Date((now() + seconds) * 1000) },
    })
    assert.equal(await getStatus(client.send(new DeleteObjectCommand(at))), 403)
    assert.equal(await getStatus(client.send(new PutObjectRetentionCommand(retain(60)))), 403)
    await assert.rejects(store.delete(Key), ObjectStoreUnavailable)
    // A lock is never shortened, and is extended.
    const again = await store.lock?.set(Key, { retain_until: until - 1000, is_held: false })
    assert.equal(again?.locked_until, until)
    const longer = await store.lock?.set(Key, { retain_until: until + 1000, is_held: true })
    assert.deepEqual([longer?.locked_until, longer?.lock_held], [until + 1000, true])
    // The owner can only cover it.
    assert.equal(await getStatus(client.send(new DeleteObjectCommand({ Bucket: config.bucket, Key }))), 204)
    assert.equal((await store.head(Key))?.size, 8)
    assert.equal((await collect(store.read(Key))).toString(), 'evidence')
    await assert.rejects(put(store, Key), ObjectExists)
  })

  test('hold an object without a date, and let every version of it be removed afterwards', async () => {
    const { store, client, config } = await bucket(true)
    const Key = 'c/p/original-0'
    await put(store, Key)
    await client.send(new PutObjectCommand({ Bucket: config.bucket, Key, Body: 'other' }))
    await client.send(new DeleteObjectCommand({ Bucket: config.bucket, Key }))
    // The present version is locked, also below a delete marker, and stays the one that is meant.
    const held = await store.lock?.set(Key, { retain_until: null, is_held: true })
    assert.equal((await collect(store.read(Key))).toString(), 'evidence')
    await assert.rejects(store.delete(Key), ObjectStoreUnavailable)
    const version_id = held?.version_id ?? ''
    const free = await store.lock?.set(Key, { retain_until: now() - 1, is_held: false, version_id })
    assert.deepEqual(free, { version_id, locked_until: null, lock_held: false })
    await store.delete(Key)
    const { Versions = [], DeleteMarkers = [] } = await client.send(
      new ListObjectVersionsCommand({ Bucket: config.bucket, Prefix: Key }),
    )
    assert.deepEqual([...Versions, ...DeleteMarkers], [])
  })

  test('resist an attack every night, which leaves nothing in the archive', async () => {
    const { store } = await bucket(true)
    for (let night = 0; night < 2; night++) assert.deepEqual(await store.lock?.attack(), [])
    for await (const { key } of store.list('')) assert.fail(key)
  })

  test('report a bucket that keeps no lock, and rules that remove objects', async () => {
    const { store, client, config } = await bucket()
    assert.deepEqual(await store.settingFaults?.(), [])
    const Expiration = { Days: 30 }
    const rule = { ID: 'old', Status: 'Enabled' as const, Filter: { Prefix: '' }, Expiration }
    const LifecycleConfiguration = { Rules: [rule] }
    await client.send(
      new PutBucketLifecycleConfigurationCommand({ Bucket: config.bucket, LifecycleConfiguration }),
    )
    assert.deepEqual(await store.settingFaults?.(), ['lifecycle_rules'])
    const hopeful = s3Store({ ...config, object_lock: true })
    assert.deepEqual(await hopeful.settingFaults?.(), ['versioning_off', 'lock_off', 'lifecycle_rules'])
    assert.deepEqual(await hopeful.lock?.attack(), ['not_locked'])
    assert.deepEqual(await (await bucket(true)).store.settingFaults?.(), [])
  })
})

/** Seconds in which the caller must get an error, the second attempt included. */
const REPORTED_WITHIN = 60
const HEALTH_WITHIN = 3 + 12

/** A store with little patience on an S3 server that accepts connections and stays silent. */
async function storeAt(t: TestContext, words?: string, to?: string) {
  const server = await hangingServer(words, to)
  t.after(() => server.stop())
  return s3Store({
    bucket: 'b',
    region: 'us-east-1',
    endpoint: server.endpoint,
    force_path_style: true,
    access_key_id: 'AK',
    secret_access_key: 'SK',
    patience: 1000,
    now,
  })
}

async function refusesWithin(seconds: number, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now()
  await assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof ObjectStoreUnavailable)
    assert.match(error.message, /did not answer in time/)
    return true
  })
  const took = (performance.now() - started) / 1000
  assert.ok(took < seconds, `took ${took} s`)
}

async function* bytes(count: number) {
  for (let i = 0; i < count; i++) yield Buffer.alloc(1 << 20)
}

async function drain(source: AsyncIterable<unknown>) {
  for await (const _ of source);
}

describe('an unresponsive S3 server', { concurrency: true }, () => {
  it('has two attempts within the time of a caller', () => {
    assert.ok(PATIENCE.attempts * (PATIENCE.connection + PATIENCE.answer) < REPORTED_WITHIN * 1000)
  })

  it('fails its health check in time', async (t) => {
    const store = await storeAt(t)
    await refusesWithin(HEALTH_WITHIN, () => store.health())
  })

  it('makes reads, listings and deletions fail in time', async (t) => {
    const store = await storeAt(t)
    await Promise.all([
      refusesWithin(REPORTED_WITHIN, () => store.head('a/b')),
      refusesWithin(REPORTED_WITHIN, () => store.delete('a/b')),
      refusesWithin(REPORTED_WITHIN, () => drain(store.list('a/'))),
      refusesWithin(REPORTED_WITHIN, () => drain(store.read('a/b'))),
    ])
  })

  it('makes a write fail in time when it accepts no bytes', async (t) => {
    const missing = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'
    const store = await storeAt(t, missing, 'HEAD')
    await refusesWithin(REPORTED_WITHIN, () => store.put('a/b', bytes(20)))
  })

  it('ends a read in the middle of an object', async (t) => {
    const begun = 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nbeginning'
    const store = await storeAt(t, begun)
    await refusesWithin(REPORTED_WITHIN, () => drain(store.read('a/b')))
  })
})
