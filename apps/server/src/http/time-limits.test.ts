import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify from 'fastify'
import { closed } from '../testing/waits.ts'
import { limitBodyTime, limitSilence, SERVER_TIMES } from './time-limits.ts'

/** Milliseconds that no step takes, also on a busy machine. */
const PATIENT = 60_000

/** A server that reads bodies, and ends JSON ones and silent connections after `limit` ms. */
async function listening(limit: number) {
  const app = Fastify({
    serverFactory: (handler) => limitSilence(createServer(SERVER_TIMES, handler), limit),
  })
  after(() => app.close())
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
  limitBodyTime(app, limit)
  app.post('/', async ({ raw, headers }) => {
    if (headers['content-type'] !== 'application/octet-stream') return 'read'
    let size = 0
    for await (const chunk of raw) size += (chunk as Buffer).length
    return `got ${size}`
  })
  const isOver = new Promise<boolean>((resolve) =>
    app.get('/large', async (_request, { raw }) => {
      raw.once('close', () => resolve(raw.writableFinished))
      return Buffer.alloc(1 << 26)
    }),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, isOver }
}

/** Sends ten bytes, one each `every` ms; resolves to the response before the connection ended. */
async function trickle(content_type: string, { every, limit }: { every: number; limit: number }) {
  const { port } = await listening(limit)
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (data) => (answer += data.toString())).on('error', () => undefined)
  const ending = closed(socket)
  socket.write(
    `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: ${content_type}\r\ncontent-length: 10\r\n\r\n`,
  )
  for (const byte of '"12345678"') {
    await pause(every)
    if (socket.destroyed) break
    socket.write(byte)
  }
  await ending
  return answer
}

test('a request body must arrive within the time limit', async () => {
  assert.equal(await trickle('application/json', { every: 60, limit: 200 }), '')
  assert.match(await trickle('application/json', { every: 5, limit: PATIENT }), /200 OK/)
})

test('an upload may take long, but must not pause longer than the limit', async () => {
  // Longer than the limit in total, with far shorter pauses; a machine that stalls for two seconds would
  // fail.
  assert.match(await trickle('application/octet-stream', { every: 300, limit: 2500 }), /got 10/)
  assert.equal(await trickle('application/octet-stream', { every: 700, limit: 100 }), '')
})

test('a reader that stops keeps no answer in memory', async () => {
  const { port, isOver } = await listening(500)
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n')
  assert.equal(await isOver, false)
  socket.destroy()
})

test('Node timeouts leave uploads enough time on slow networks', () => {
  assert.ok(SERVER_TIMES.requestTimeout >= 4.5 * 3600_000)
  assert.ok(SERVER_TIMES.headersTimeout <= 60_000)
})
