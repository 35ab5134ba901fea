/** The running whole with its objects in a real S3 bucket: phones and the object store talk without the server in between. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { PhoneEvent } from '@custodia/device-sdk'
import { HOLD_GRACE_SECONDS } from '@custodia/domain'
import { lockChanged } from '../payloads/locks.ts'
import { signIn } from '../testing/access-fixture.ts'
import { demoPhone, mediaFile, getMessage, getRecording } from '../testing/phones.ts'
import { radosgwAvailable, type S3Server, startRadosgw } from '../testing/radosgw.ts'
import { requirePart } from '../testing/require-part.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { until } from '../testing/waits.ts'

let s3: S3Server
after(() => s3?.stop())

describe('the server on an S3 bucket', requirePart('radosgw', radosgwAvailable()), () => {
  const Bucket = `system-${randomBytes(6).toString('hex')}`
  let bucket: S3Client
  let server: TestServer

  before(async () => {
    s3 = await startRadosgw({ hasCustomer: false })
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
    const { payload_reference, recording } = getRecording('Call', media)
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
    const payload = await alice.api.readPayload({ params: { payload_reference } })
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
    const { payload_reference, recording } = getRecording('SMS', getMessage('Sold at 99'))
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
    const failed = await alice.api.readPayload({ params: { payload_reference } })
    assert.deepEqual([failed.payload_state, failed.failure], ['Failed', 'wrong_checksum'])

    assert.deepEqual(await phone.sync({ patience: 60 }), { freed: 1, waiting: 0, refused: 0 })
    assert.deepEqual(
      uploads.map(({ status }) => status),
      [412, 200],
      'the first attempt could not replace what lay there',
    )
    assert.equal(events().filter((type) => type === 'failed').length, 1)
    const mended = await alice.api.readPayload({ params: { payload_reference } })
    assert.deepEqual([mended.payload_state, mended.failure], ['Processed', undefined])
    const kept = await bucket.send(new HeadObjectCommand({ Bucket, Key: key(0) }))
    assert.equal(kept.ContentLength, wrong.length, 'what was refused stays as evidence')
  })
})

/** Days of the legal minimum of calls. */
const MINIMUM_DAYS = 10

describe('the server on a bucket with Object Lock', requirePart('radosgw', radosgwAvailable()), () => {
  const Bucket = `locked-${randomBytes(6).toString('hex')}`
  let bucket: S3Client
  let server: TestServer

  before(async () => {
    const { endpoint, accessKeyId, secretAccessKey } = s3
    const credentials = { accessKeyId, secretAccessKey }
    bucket = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true })
    await bucket.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }))
    server = await testServer(
      {
        S3_BUCKET: Bucket,
        S3_ENDPOINT: endpoint,
        S3_ACCESS_KEY_ID: accessKeyId,
        S3_SECRET_ACCESS_KEY: secretAccessKey,
        S3_OBJECT_LOCK: 'true',
      },
      { hasWorker: true },
    )
    await server.sql(
      `insert into retention_policies (client_id, policy_version, entries, minimums, applies_to_kept, at, by)
       select client_id, coalesce(max(policy_version), 0) + 1, '[]', $1, true, $2, 'alice'
       from clients left join retention_policies using (client_id) where client = 'acme' group by client_id`,
      [
        JSON.stringify([{ payload_type: 'Call', days: MINIMUM_DAYS, legal_basis: 'MiFID II' }]),
        server.ctx.now(),
      ],
    )
  })
  after(async () => {
    await server?.close()
    bucket?.destroy()
  })

  it('locks what is processed until its legal minimum ends, and while a legal hold applies', async () => {
    const phone = await demoPhone(server.ctx.config.dataDir, server.url, 'Harriet')
    const { payload_reference, recording } = getRecording('Call', await mediaFile('calls/en-margin-call.m4a'))
    await phone.record(recording)
    await phone.sync({ patience: 60 })
    const at = { Bucket, Key: `acme/${payload_reference}/original-0` }
    const locked = await bucket.send(new HeadObjectCommand(at))
    assert.equal(locked.ObjectLockMode, 'COMPLIANCE')
    const until = recording.meta.payload_time + MINIMUM_DAYS * 86_400
    assert.equal(locked.ObjectLockRetainUntilDate?.getTime(), until * 1000)
    // With the owner's own credentials.
    const version = new DeleteObjectCommand({ ...at, VersionId: locked.VersionId })
    await assert.rejects(bucket.send(version), { name: 'AccessDenied' })

    const getHold = async () => {
      await lockChanged.run(server.ctx, {}, new AbortController().signal)
      return (await bucket.send(new HeadObjectCommand(at))).ObjectLockLegalHoldStatus
    }
    assert.notEqual(await getHold(), 'ON')
    const alice = await signIn(server.url, 'acme', 'alice')
    await alice.api.setLegalHold({
      params: { target_type: 'DeviceUser', target: 'Harriet Cole' },
      body: { reason: 'Inquiry' },
    })
    assert.equal(await getHold(), 'ON')
    await server.sql(
      `update legal_holds set is_active = false, updated_at = extract(epoch from now()) - $1 - 1`,
      [HOLD_GRACE_SECONDS],
    )
    assert.equal(await getHold(), 'OFF')

    const { is_locked, store_faults } = await alice.api.listIntegrityChecks({})
    assert.deepEqual([is_locked, store_faults], [true, []])
  })
})

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
