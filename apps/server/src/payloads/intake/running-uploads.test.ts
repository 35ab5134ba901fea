import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import {
  ingestFixture,
  type IngestFixture,
  sealRecording,
  type TestPhone,
} from '../../testing/ingest-fixture.ts'
import { UPLOADS_PER_PHONE } from './upload.ts'

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

/** A recording and its upload path. */
async function announced(of = phone) {
  const recording = await sealRecording(of, 'Diagnostics', Buffer.alloc(100_000, 'x'))
  const [answer] = await of.announce(recording.announcement)
  return {
    ...recording,
    path: new URL(answer?.upload_url ?? '').pathname,
    reference: recording.announcement.payload_reference,
  }
}
type Announced = Awaited<ReturnType<typeof announced>>

/** An upload whose device sends half of it and then stalls. */
async function half({ path, sealed }: Announced): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  const begun = once(fixture.app.server, 'request')
  const head = `PUT ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ncontent-length: ${sealed.length}\r\n\r\n`
  socket.write(head)
  socket.write(sealed.subarray(0, 50_000))
  await begun
  return socket
}

const put = ({ path, sealed }: Announced) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(sealed),
  })

test('an aborted upload logs no error, and the device can start again', async () => {
  const one = await announced()
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
  const one = await announced()
  const socket = await half(one)
  const closed = once(socket, 'close')
  assert.equal((await put(one)).status, 200)
  await closed
  assert.equal((await fixture.state(one.reference))?.state, 'Uploaded')
  assert.deepEqual(errors, [])
})

test('a further upload beyond the limit of a device gets 429, and other devices are not affected', async () => {
  const waiting = await Promise.all(Array.from({ length: UPLOADS_PER_PHONE }, () => announced()))
  const sockets: Socket[] = []
  for (const each of waiting) sockets.push(await half(each))
  const further = await announced()
  const refused = await put(further)
  assert.deepEqual([refused.status, Number(refused.headers.get('retry-after')) > 0], [429, true])
  assert.equal(((await refused.json()) as { code: string }).code, 'too_many_requests')
  assert.equal((await put(await announced(await fixture.phone('acme')))).status, 200)
  const [again] = waiting
  assert.ok(again)
  assert.equal((await put(again)).status, 200, 'its own address is not a further one')
  assert.equal((await put(further)).status, 200)
  for (const socket of sockets) socket.destroy()
})

test('a chunked upload is refused with 411, and the payload stays unaffected', async () => {
  const one = await announced()
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
