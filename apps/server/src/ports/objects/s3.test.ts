import { CreateBucketCommand, CreateMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it, test, type TestContext } from 'node:test'
import { radosgwAvailable, type S3Server, startRadosgw } from '../../testing/radosgw.ts'
import { requirePart } from '../../testing/require-part.ts'
import { collect, conformance, pieces, sha256 } from './port.conformance.ts'
import { ObjectStoreUnavailable } from './port.ts'
import { s3Store } from './s3.ts'
import { hangingServer } from '../../testing/silent-peers.ts'

const part = requirePart('radosgw', radosgwAvailable())
let started: Promise<S3Server> | undefined
after(async () => (await started?.catch(() => undefined))?.stop())
const now = () => Math.floor(Date.now() / 1000)

async function bucket() {
  const { endpoint, accessKeyId, secretAccessKey } = await (started ??= startRadosgw())
  const name = `b-${randomBytes(6).toString('hex')}`
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: name }))
  const config = {
    bucket: name,
    endpoint,
    region: 'us-east-1',
    force_path_style: true,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
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

/** An S3 server that accepts connections and stays silent. */
/** Seconds in which the caller must get an error, the second attempt included. */
const REPORTED_WITHIN = 60
const HEALTH_WITHIN = 3 + 12

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
    now: () => Math.floor(Date.now() / 1000),
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
