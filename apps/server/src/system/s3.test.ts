/** The running whole with its objects in a real S3 bucket: phones and the object store talk without the server in between. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { CreateBucketCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { PhoneEvent } from '@custodia/device-sdk'
import { requirePart } from '../testing/require-part.ts'
import { signIn } from '../testing/access-fixture.ts'
import { radosgwAvailable, type S3Server, startRadosgw } from '../testing/radosgw.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { demoPhone, mediaFile, messageOf, recordingOf } from '../testing/phones.ts'
import { until } from '../testing/waits.ts'

describe('the server on an S3 bucket', requirePart('radosgw', radosgwAvailable()), () => {
  const Bucket = `system-${randomBytes(6).toString('hex')}`
  let s3: S3Server
  let bucket: S3Client
  let server: TestServer

  before(async () => {
    s3 = await startRadosgw()
    const { endpoint, accessKeyId, secretAccessKey } = s3
    const credentials = { accessKeyId, secretAccessKey }
    bucket = new S3Client({
      endpoint,
      region: 'us-east-1',
      credentials,
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    })
    await bucket.send(new CreateBucketCommand({ Bucket }))
    server = await testServer(
      {
        S3_BUCKET: Bucket,
        S3_ENDPOINT: endpoint,
        S3_ACCESS_KEY_ID: accessKeyId,
        S3_SECRET_ACCESS_KEY: secretAccessKey,
      },
      { hasWorker: true },
    )
  })
  after(async () => {
    await server?.close()
    bucket?.destroy()
    await s3?.stop()
  })

  /** Harriet's phone; notes where its uploads went and what became of each payload. */
  async function phoneOfHarriet(spare: number) {
    const uploads: { origin: string; headers: Headers; status: number }[] = []
    const events: PhoneEvent[] = []
    const phone = await demoPhone(server.ctx.config.dataDir, server.url, 'Harriet', {
      spare,
      onEvent: (event) => events.push(event),
      fetch: async (address, init) => {
        const response = await fetch(address, init)
        if (init?.method === 'PUT')
          uploads.push({
            origin: new URL(String(address)).origin,
            headers: new Headers(init.headers),
            status: response.status,
          })
        return response
      },
    })
    return { phone, uploads, events: () => events.map(({ type }) => type) }
  }

  it('lets devices upload to the bucket and serves play and download by range', async () => {
    const { phone, uploads } = await phoneOfHarriet(1)
    const media = await mediaFile('calls/en-margin-call.m4a')
    const { payload_reference, recording } = recordingOf('Call', media)
    await phone.record(recording)
    const sealed = phone.queue()[0]?.announcement
    assert.deepEqual(await phone.sync({ patience: 60 }), { freed: 1, waiting: 0, refused: 0 })

    const [upload, ...more] = uploads
    assert.equal(more.length, 0)
    assert.equal(upload?.origin, s3.endpoint)
    assert.equal(
      upload?.headers.get('x-amz-checksum-sha256'),
      Buffer.from(sealed?.checksum ?? '', 'hex').toString('base64'),
    )
    const Key = `acme/${payload_reference}/original-0`
    const { ContentLength } = await bucket.send(new HeadObjectCommand({ Bucket, Key }))
    assert.equal(ContentLength, sealed?.size)

    const alice = await signIn(server.url, 'acme', 'alice')
    const payload = await alice.api.readPayload({ params: { payload_reference }, query: {} })
    assert.equal(payload.payload_state, 'Processed')
    assert.equal(payload.decrypted_checksum, sha256(media))
    for (const action of ['play', 'download'] as const) {
      const answer = await alice.api.readPayloadData({ params: { payload_reference }, query: { action } })
      assert.equal(answer.status, 'Ok')
      assert.equal(
        new URL(answer.s3_url ?? '').origin,
        server.url,
        'sealed bytes are opened by the server alone',
      )
      const whole = await alice.fetch(answer.s3_url ?? '')
      assert.equal(whole.status, 200)
      assert.ok(media.equals(Buffer.from(await whole.arrayBuffer())))
      const from = media.length - 5000
      const part = await alice.fetch(answer.s3_url ?? '', {
        headers: { range: `bytes=${from}-${from + 999}` },
      })
      assert.equal(part.status, 206)
      assert.equal(part.headers.get('content-range'), `bytes ${from}-${from + 999}/${media.length}`)
      assert.ok(media.subarray(from, from + 1000).equals(Buffer.from(await part.arrayBuffer())))
    }
  })

  it('detects wrong bytes, reports the failure and accepts the retry under another key', async () => {
    const { phone, uploads, events } = await phoneOfHarriet(2)
    const { payload_reference, recording } = recordingOf('SMS', messageOf('Sold at 99'))
    await phone.record(recording)
    const size = phone.queue()[0]?.announcement.size ?? 0
    const key = (attempt: number) => `acme/${payload_reference}/original-${attempt}`
    const wrong = randomBytes(size)
    await bucket.send(new PutObjectCommand({ Bucket, Key: key(0), Body: wrong }))

    const failures = await until(
      'a failure at the phone',
      async () => {
        await phone.sync({ patience: 0 })
        return phone.queue().flatMap(({ reason }) => reason ?? [])
      },
      ({ length }) => length > 0,
      { everyMs: 100 },
    )
    assert.deepEqual(failures, ['wrong_checksum'])
    const alice = await signIn(server.url, 'acme', 'alice')
    const failed = await alice.api.readPayload({ params: { payload_reference }, query: {} })
    assert.deepEqual([failed.payload_state, failed.failure], ['Failed', 'wrong_checksum'])

    assert.deepEqual(await phone.sync({ patience: 60 }), { freed: 1, waiting: 0, refused: 0 })
    assert.deepEqual(
      uploads.map(({ status }) => status),
      [412, 200],
      'the first attempt could not replace what lay there',
    )
    assert.equal(events().filter((type) => type === 'failed').length, 1)
    const mended = await alice.api.readPayload({ params: { payload_reference }, query: {} })
    assert.deepEqual([mended.payload_state, mended.failure], ['Processed', undefined])
    const kept = await bucket.send(new HeadObjectCommand({ Bucket, Key: key(0) }))
    assert.equal(kept.ContentLength, wrong.length, 'what was refused stays as evidence')
  })
})

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
