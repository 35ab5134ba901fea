import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openIndex } from '../../ports/objects/pack-index.ts'
import { packsFolder, segmentPath } from '../../ports/objects/pack-record.ts'
import {
  ingestFixture,
  type IngestFixture,
  sealRecording,
  type TestPhone,
} from '../../testing/ingest-fixture.ts'
import { broken, linux, watchSyncs } from '../../testing/syncs.ts'
import { closed } from '../../testing/waits.ts'
import { sweepObjects, sweepPayloads } from './sweep.ts'
import { UPLOADS_PER_DEVICE } from './upload.ts'

const never = new AbortController().signal
const message = Buffer.from(JSON.stringify({ text: 'hello' }))
let fixture: IngestFixture
let phone: TestPhone
let port: number
const errors: unknown[] = []
before(async () => {
  fixture = await ingestFixture()
  phone = await fixture.phone('acme')
  fixture.ctx.log.error = (...stated: unknown[]) => void errors.push(stated)
  await fixture.app.listen({ port: 0, host: '127.0.0.1' })
  port = (fixture.app.server.address() as AddressInfo).port
})
after(() => fixture.close())

/** A recording and its upload address. */
async function announced(payload_time?: number) {
  const recording = await sealRecording(phone, 'SMS', message, payload_time ? { payload_time } : {})
  const [answer] = await phone.announce(recording.announcement)
  assert.ok(answer?.upload_url)
  return { ...recording, reference: recording.announcement.payload_reference, url: answer.upload_url }
}

async function* one(bytes: Buffer) {
  yield bytes
}

test('an upload is acknowledged, queued for processing once, and may be repeated', async () => {
  const { reference, url, sealed } = await announced()
  for (let i = 0; i < 3; i++) assert.equal((await phone.put(url, sealed)).statusCode, 200)
  assert.equal((await fixture.state(reference))?.state, 'Uploaded')
  assert.equal(fixture.sent.length, 1)
  await fixture.work()
  assert.equal((await phone.put(url, sealed)).statusCode, 200)
  assert.equal((await fixture.state(reference))?.state, 'Processed')
  assert.equal(fixture.sent.length, 0)
  assert.deepEqual(await getUploads(reference), [{ ...mine(), status_code: 200, denial_reason: null }])
})

const mine = () => ({ device_reference: phone.device_reference, group_reference: 'Unassigned' })

/** The device activity about uploads of this payload. */
const getUploads = (reference: string) =>
  fixture.sql(
    `select device_reference, g.group_reference, status_code, denial_reason
     from device_activities a join groups g using (client_id, group_id, group_reference)
     where action = 'PUT uploads' and parameters::jsonb ->> 'payload_reference' = $1 order by denial_reason nulls first`,
    [reference],
  )

test('bytes other than announced are refused and logged, and the correct upload still succeeds', async () => {
  const { reference, url, sealed } = await announced()
  const other = Buffer.from(sealed)
  other.writeUInt8(sealed.readUInt8(50) ^ 1, 50)
  for (const [bytes, code] of [
    [other, 'wrong_checksum'],
    [sealed.subarray(1), 'wrong_size'],
    [Buffer.concat([sealed, sealed]), 'wrong_size'],
  ] as const) {
    const answer = await phone.put(url, bytes)
    assert.deepEqual([answer.statusCode, answer.json().code], [400, code])
    assert.equal(await fixture.ctx.objects.head(`acme/${reference}/original-0`), undefined)
    const row = await fixture.state(reference)
    assert.deepEqual([row?.state, row?.failure], ['Recorded', code])
  }
  assert.equal((await phone.put(url, sealed)).statusCode, 200)
  await fixture.work()
  const row = await fixture.state(reference)
  assert.deepEqual([row?.state, row?.failure], ['Processed', null])
  assert.deepEqual(
    (await getUploads(reference)).map((each) => (each as { denial_reason: string | null }).denial_reason),
    [null, 'wrong_checksum', 'wrong_size', 'wrong_size'],
  )
})

test('an altered or expired upload address is refused', async () => {
  const { reference, url, sealed } = await announced()
  const altered = [
    url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    url.replace(/uploads\/../, 'uploads/xx'),
  ]
  for (const address of altered)
    assert.equal((await phone.put(address, sealed)).json().code, 'address_expired')
  fixture.advance(901)
  assert.equal((await phone.put(url, sealed)).json().code, 'address_expired')
  fixture.advance(-901)
  assert.equal((await fixture.state(reference))?.state, 'Recorded')
})

test('the sweep and the next upload of the device detect a stored object that was not recorded', async () => {
  const { reference, url, sealed } = await announced()
  await fixture.ctx.objects.put(`acme/${reference}/original-0`, one(sealed))
  await sweepPayloads.run(fixture.ctx, {}, never)
  assert.equal((await fixture.state(reference))?.state, 'Uploaded')
  await fixture.work()
  assert.equal((await fixture.state(reference))?.state, 'Processed')
  const again = await announced()
  await fixture.ctx.objects.put(`acme/${again.reference}/original-0`, one(again.sealed))
  assert.equal((await phone.put(again.url, again.sealed)).statusCode, 200)
  assert.equal((await fixture.state(again.reference))?.state, 'Uploaded')
  assert.ok(url)
  await fixture.work()
})

test(
  'an object left by a crash is acknowledged only once it is durable, without blocking others',
  linux,
  async () => {
    const [broke, whole] = [await announced(), await announced()]
    const state = async (reference: string) => (await fixture.state(reference))?.state
    await fixture.ctx.objects.put(`acme/${broke.reference}/original-0`, one(broke.sealed))
    // The next one goes to another segment.
    await fixture.ctx.objects.sweep(Date.now() / 1000 + 60)
    await fixture.ctx.objects.put(`acme/${whole.reference}/original-0`, one(whole.sealed))
    const folder = packsFolder(join(fixture.ctx.config.dataDir, 'objects'))
    const segment = openIndex(folder).find(`acme/${broke.reference}/original-0`)?.segment ?? 0
    const syncs = await watchSyncs((path, real) =>
      path === segmentPath(folder, segment) ? Promise.reject(broken('EIO')) : real(),
    )
    try {
      await sweepPayloads.run(fixture.ctx, {}, never)
      assert.deepEqual([await state(broke.reference), await state(whole.reference)], ['Recorded', 'Uploaded'])
      const answer = await phone.put(broke.url, broke.sealed)
      assert.deepEqual([answer.statusCode, answer.headers['retry-after'] !== undefined], [503, true])
      assert.equal(await state(broke.reference), 'Recorded')
    } finally {
      syncs.restore()
    }
    assert.equal((await phone.put(broke.url, broke.sealed)).statusCode, 200)
    assert.equal(await state(broke.reference), 'Uploaded')
    await fixture.work()
  },
)

test('payloads missing for more than a week are late, with one alert per device, and stay late', async () => {
  const now = fixture.ctx.now()
  const waiting = [await announced(now - 8 * 86_400), await announced(now - 9 * 86_400)]
  const fresh = await announced(now - 6 * 86_400)
  await sweepPayloads.run(fixture.ctx, {}, never)
  await sweepPayloads.run(fixture.ctx, {}, never)
  const late = await fixture.sql<{ payload_reference: string }>(
    'select payload_reference from payloads where is_late and payload_reference = any($1) order by 1',
    [[...waiting, fresh].map(({ reference }) => reference)],
  )
  assert.deepEqual(
    late.map(({ payload_reference }) => payload_reference),
    waiting.map(({ reference }) => reference).toSorted(),
  )
  const alerts = await fixture.sql(
    `select occurrence_count::int from alerts where alert_type = 'DeviceAlert' and alert_target = 'client'`,
  )
  assert.deepEqual(alerts, [{ occurrence_count: 1 }])
  const straggler = await announced(now - 10 * 86_400)
  await phone.put(straggler.url, straggler.sealed)
  const [row] = await fixture.sql('select is_late from payloads where payload_reference = $1', [
    straggler.reference,
  ])
  assert.deepEqual(row, { is_late: true })
  await fixture.work()
})

test('objects of crashed attempts are deleted after a day, but uploads and recorded objects are not', async () => {
  const { reference, url, sealed } = await announced()
  await phone.put(url, sealed)
  await fixture.work()
  const orphan = `acme/${reference}/playback-0123456789`
  await fixture.ctx.objects.put(orphan, one(sealed))
  const refused = `acme/${reference}/original-7`
  await fixture.ctx.objects.put(refused, one(sealed))
  await sweepObjects.run(fixture.ctx, {}, never)
  assert.ok(await fixture.ctx.objects.head(orphan))
  fixture.advance(2 * 86_400)
  await sweepObjects.run(fixture.ctx, {}, never)
  fixture.advance(-2 * 86_400)
  assert.equal(await fixture.ctx.objects.head(orphan), undefined)
  for (const key of [refused, `acme/${reference}/original-0`]) assert.ok(await fixture.ctx.objects.head(key))
})

/** A recording and its upload path. */
async function announcedLarge(of = phone) {
  const recording = await sealRecording(of, 'Diagnostics', Buffer.alloc(100_000, 'x'))
  const [answer] = await of.announce(recording.announcement)
  return {
    ...recording,
    path: new URL(answer?.upload_url ?? '').pathname,
    reference: recording.announcement.payload_reference,
  }
}
type AnnouncedUpload = Awaited<ReturnType<typeof announcedLarge>>

/** An upload whose device sends half of it and then stalls. */
async function half({ path, sealed }: AnnouncedUpload): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  const begun = once(fixture.app.server, 'request')
  const head = `PUT ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ncontent-length: ${sealed.length}\r\n\r\n`
  socket.write(head)
  socket.write(sealed.subarray(0, 50_000))
  await begun
  return socket
}

const put = ({ path, sealed }: AnnouncedUpload) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(sealed),
  })

test('an aborted upload logs no error, and the device can start again', async () => {
  errors.length = 0
  const one = await announcedLarge()
  const ended = new Promise<void>((resolve) => {
    fixture.app.server.once('request', (_request, response: ServerResponse) =>
      response.once('close', resolve),
    )
  })
  const socket = await half(one)
  socket.destroy()
  await ended
  assert.equal((await put(one)).status, 200)
  assert.deepEqual(errors, [])
})

test('a newer upload to the same address replaces the older one', async () => {
  errors.length = 0
  const one = await announcedLarge()
  const socket = await half(one)
  const ending = closed(socket)
  assert.equal((await put(one)).status, 200)
  await ending
  assert.equal((await fixture.state(one.reference))?.state, 'Uploaded')
  assert.deepEqual(errors, [])
})

test('a further upload beyond the limit of a device gets 429, and other devices are not affected', async () => {
  const waiting = await Promise.all(Array.from({ length: UPLOADS_PER_DEVICE }, () => announcedLarge()))
  const sockets: Socket[] = []
  for (const each of waiting) sockets.push(await half(each))
  const further = await announcedLarge()
  const refused = await put(further)
  assert.deepEqual([refused.status, Number(refused.headers.get('retry-after')) > 0], [429, true])
  assert.equal(((await refused.json()) as { code: string }).code, 'too_many_requests')
  assert.equal((await put(await announcedLarge(await fixture.phone('acme')))).status, 200)
  const [again] = waiting
  assert.ok(again)
  assert.equal((await put(again)).status, 200, 'its own address is not a further one')
  assert.equal((await put(further)).status, 200)
  for (const socket of sockets) socket.destroy()
})

test('a chunked upload is refused with 411, and the payload stays unaffected', async () => {
  const one = await announcedLarge()
  const response = await fetch(`http://127.0.0.1:${port}${one.path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Blob([new Uint8Array(one.sealed)]).stream(),
    duplex: 'half',
  } as RequestInit)
  assert.equal(response.status, 411)
  assert.equal(((await response.json()) as { code: string }).code, 'length_required')
  assert.deepEqual(
    [(await fixture.state(one.reference))?.state, (await fixture.state(one.reference))?.failure],
    ['Recorded', null],
  )
  assert.equal((await put(one)).status, 200)
})
