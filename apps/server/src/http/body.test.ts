import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { ANNOUNCEMENT_BODY_LIMIT, BODY_LIMIT } from '@custodia/contract'
import { openSession } from '../testing/alert-fixture.ts'
import { knownPhone } from '../testing/phones.ts'
import { testServer } from '../testing/server.ts'
import { closed, until } from '../testing/waits.ts'

const GROUP = '/admin/v1/api/acme/groups/Body%20Group'
const TAGS = JSON.stringify({ tags: [] })
const JSON_TYPE = 'application/json'

/** A sender in a thread of its own, so that its cost does not count as the server's. */
const SENDER = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', ({ method, url, body, authorization }) =>
    fetch(url, { method, body, headers: { 'content-type': 'application/json', authorization } }).then(
      async (response) => {
        await response.text()
        parentPort.postMessage(response.status)
      },
      () => parentPort.postMessage(0),
    ),
  )`

describe('the request body', async () => {
  /** The server's side of each connection, by the port of the other side. */
  const served = new Map<number, Socket>()

  const session = (user_reference: string) =>
    openSession(server.ctx, { client: 'acme', user_reference, roles: ['Account Administrator'] })

  const server = await testServer()
  const { ctx } = server
  server.app.server.on('connection', (socket: Socket) => served.set(socket.remotePort ?? 0, socket))
  const admin = await session('body admin')
  const phone = await (await knownPhone(ctx, 'acme', 'body phone')).tokenAt(ctx.now())
  after(() => server.close())

  const getEntries = (user_reference: string) =>
    server.sql<{ status_code: number; is_allowed: boolean; denial_reason: string | null; action: string }>(
      `select status_code, is_allowed, denial_reason, action from portal_activities where user_reference = $1 order by log_id`,
      [user_reference],
    )

  const send = async (
    method: string,
    path: string,
    body: string,
    token?: string,
    type = JSON_TYPE,
    encoding = 'identity',
  ) => {
    const response = await fetch(server.url + path, {
      method,
      body,
      headers: {
        'content-type': type,
        'content-encoding': encoding,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
    })
    return { status: response.status, code: ((await response.json()) as { code?: string }).code }
  }

  /** A connection on which a test writes raw bytes. */
  interface TestConnection {
    socket: Socket
    /** The response so far. */
    answer: () => string
    /** Whether the server has read all written bytes. */
    isRead: () => boolean
    /** Whether the connection has ended for the server too. */
    isClosed: () => boolean
  }
  async function opened(): Promise<TestConnection> {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.on('data', (data) => (answer += data.toString())).on('error', () => undefined)
    await once(socket, 'connect')
    const { localPort = 0 } = socket
    return {
      socket,
      answer: () => answer,
      isRead: () => served.get(localPort)?.bytesRead === socket.bytesWritten,
      isClosed: () => served.get(localPort)?.destroyed === true,
    }
  }
  const getHead = (method: string, path: string, headers: Record<string, string | number>) =>
    `${method} ${path} HTTP/1.1\r\nhost: x\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`

  it('takes less than a second of server CPU time, however hostile its JSON is', async () => {
    const size = 30_000_000
    const bodies = [
      '['.repeat(size / 2) + ']'.repeat(size / 2),
      '['.repeat(BODY_LIMIT),
      `[${'{"":1},'.repeat(Math.floor(BODY_LIMIT / 8))}1]`,
      '['.repeat(ANNOUNCEMENT_BODY_LIMIT),
      `{${Array.from({ length: 800_000 }, (_, i) => `"${i}":0`).join()}}`,
    ]
    const sender = new Worker(SENDER, { eval: true })
    for (const [i, body] of bodies.entries())
      for (const [path, token] of [
        [GROUP],
        [GROUP, admin],
        ['/device/v1/payloads'],
        ['/device/v1/payloads', phone],
        ['/device/v1/authenticate'],
        ['/no/such/call'],
      ] as const) {
        const before = process.threadCpuUsage()
        const method = path === GROUP ? 'PUT' : 'POST'
        sender.postMessage({ method, url: server.url + path, body, authorization: `Bearer ${token ?? ''}` })
        const [status] = (await once(sender, 'message')) as [number]
        // CPU time of the server's thread: the longest time that it could have blocked another call.
        const { user, system } = process.threadCpuUsage(before)
        // 0: the server ended the connection while the body was still being sent.
        assert.ok([0, 400, 401, 404, 413].includes(status), `${status}`)
        assert.ok(user + system < 1e6, `body ${i} to ${path}: ${Math.round((user + system) / 1e3)} ms`)
      }
    await sender.terminate()
  })

  it('is not awaited before the caller is authenticated and authorised', async () => {
    const weak = await openSession(server.ctx, { client: 'acme', user_reference: 'weak', roles: [] })
    for (const [authorization, status] of [
      ['', '401'],
      [`Bearer ${weak}`, '403'],
    ] as const) {
      const { socket, answer } = await opened()
      socket.write(
        getHead('PUT', GROUP, { authorization, 'content-type': JSON_TYPE, 'content-length': 1000 }),
      )
      await until('the refusal', () => answer().startsWith(`HTTP/1.1 ${status}`))
      socket.destroy()
    }
  })

  it('is read to its end when it is short and refused, so that the connection stays usable', async () => {
    const { socket, answer } = await opened()
    const head = getHead('PUT', GROUP, { 'content-type': JSON_TYPE, 'content-length': 200_000 })
    socket.write(head)
    await until('the refusal', () => answer().includes('authentication_required'))
    assert.doesNotMatch(answer(), /connection: close/i)
    socket.write('x'.repeat(200_000))
    socket.write(getHead('GET', '/livez', {}))
    await until('the next answer', () => answer().includes('{"status":"ok"}'))
    socket.destroy()
  })

  it('closes the connection if it is refused and is long, chunked or not JSON', async () => {
    const heads: Record<string, string | number>[] = [
      { 'content-length': 30_000_000, 'content-type': JSON_TYPE },
      { 'transfer-encoding': 'chunked', 'content-type': JSON_TYPE },
      { 'content-length': 1000, 'content-type': 'application/octet-stream' },
    ]
    for (const headers of heads) {
      const { socket, answer } = await opened()
      const ending = closed(socket)
      socket.write(getHead('PUT', GROUP, headers))
      await ending
      assert.match(answer(), /^HTTP\/1\.1 401[^]*connection: close/i)
    }
  })

  it('is recorded in the audit log of its sender when it is refused', async () => {
    const token = await session('body writer')
    const refused = [
      [await send('PUT', GROUP, '{', token), 400, 'invalid_input'],
      [await send('PUT', GROUP, '{"__proto__":{"tags":[]}}', token), 400, 'invalid_input'],
      [await send('PUT', GROUP, '['.repeat(50_000), token), 400, 'invalid_input'],
      [await send('PUT', GROUP, TAGS, token, 'text/plain'), 415, 'unsupported_media_type'],
      [await send('PUT', GROUP, TAGS, token, '///'), 415, 'unsupported_media_type'],
      [await send('PUT', GROUP, TAGS, token, 'application/jsonx'), 415, 'unsupported_media_type'],
      [
        await send('PUT', GROUP, TAGS, token, 'application/json; charset=utf-16'),
        415,
        'unsupported_media_type',
      ],
      [await send('PUT', GROUP, TAGS, token, JSON_TYPE, 'gzip'), 415, 'unsupported_media_type'],
      [await send('PUT', GROUP, TAGS.padEnd(BODY_LIMIT + 1), token), 413, 'payload_too_large'],
    ] as const
    for (const [answer, status, code] of refused) assert.deepEqual(answer, { status, code })
    const chunked = await opened()
    const headers = { authorization: `Bearer ${token}`, 'content-type': JSON_TYPE }
    chunked.socket.write(getHead('PUT', GROUP, { ...headers, 'transfer-encoding': 'chunked' }))
    chunked.socket.write(`${(BODY_LIMIT + 1).toString(16)}\r\n${' '.repeat(BODY_LIMIT + 1)}\r\n`)
    await until('the refusal', () => chunked.answer().includes('payload_too_large'))
    const broken = await opened()
    broken.socket.write(getHead('PUT', GROUP, { ...headers, 'content-length': 1000 }))
    await until('the head to be read', broken.isRead)
    broken.socket.destroy()
    const entries = await until(
      'all to stand there',
      () => getEntries('body writer'),
      ({ length }) => length > refused.length + 1,
    )
    assert.deepEqual(
      entries.map(({ status_code, action }) => [status_code, action]),
      [400, 400, 400, 415, 415, 415, 415, 415, 413, 413, 400].map((status) => [status, 'groups:update']),
    )
    assert.equal((await server.sql(`select from groups where group_reference = 'Body Group'`)).length, 0)
  })

  it('is named as missing when a call that needs one has none', async () => {
    const headers = { authorization: `Bearer ${admin}` }
    const response = await fetch(server.url + GROUP, { method: 'PUT', headers })
    const { errors } = (await response.json()) as { errors: unknown }
    const message = 'The request needs a body in JSON.'
    assert.deepEqual([response.status, errors], [400, [{ path: '', code: 'body_required', message }]])
  })

  it('may be as long as the limit, with any spelling of the JSON content type', async () => {
    assert.equal((await send('PUT', GROUP, TAGS.padEnd(BODY_LIMIT), admin)).status, 200)
    for (const type of [
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8" ; a=b',
      'Application/JSON',
      'application/json;;;=',
    ])
      assert.equal((await send('PUT', GROUP, TAGS, admin, type)).status, 200, type)
  })

  it('takes less than 10 MB of memory when it arrives in one-byte chunks', async () => {
    const { socket, answer, isRead } = await opened()
    const headers = {
      authorization: `Bearer ${admin}`,
      'content-type': JSON_TYPE,
      'transfer-encoding': 'chunked',
    }
    const piece = (bytes: string) => `1\r\n${bytes}\r\n`
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    collect()
    const before = process.memoryUsage().heapUsed
    socket.write(getHead('PUT', GROUP, headers))
    for (let i = 0; i < 20; i++) await new Promise((sent) => socket.write(piece(' ').repeat(10_000), sent))
    await until('all to be read', isRead)
    collect()
    const taken = process.memoryUsage().heapUsed - before
    assert.ok(taken < 10e6, `${Math.round(taken / 1e6)} MB for 200 kB`)
    socket.write(`${TAGS.replace(/./g, piece)}0\r\n\r\n`)
    await until('the answer', () => answer().startsWith('HTTP/1.1 200'))
    socket.destroy()
  })

  it('is refused with 429 or 503 while too many request bodies are pending', async () => {
    const role = GROUP.replace('groups', 'roles')
    const size = 3 * 1024 ** 2
    const held: TestConnection[] = []
    /** Opens `count` connections of which `refused` or more are refused; resolves to the responses. */
    const hold = async (
      count: number,
      refused: number,
      method: string,
      path: string,
      headers: Record<string, string | number>,
    ) => {
      const connections = await Promise.all(Array.from({ length: count }, opened))
      for (const { socket } of connections) {
        socket.write(getHead(method, path, { 'content-type': JSON_TYPE, ...headers }))
        // An announced length takes no room; the last byte never comes.
        socket.write(Buffer.alloc(Number(headers['content-length']) - 1, ' '))
      }
      held.push(...connections)
      const answers = () => connections.map(({ answer }) => answer()).filter((answer) => answer !== '')
      await until(
        `${refused} to be answered and the others to be read`,
        () =>
          answers().length >= refused &&
          connections.every(({ answer, isRead }) => answer() !== '' || isRead()),
      )
      return answers()
    }
    const holdAs = (count: number, token: string, refused = 0) =>
      hold(count, refused, 'PUT', role, { authorization: `Bearer ${token}`, 'content-length': size })
    const calm = await session('body calm')
    const greedy = [
      await session('body greedy'),
      await session('body greedy 2'),
      await session('body greedy 3'),
    ]
    try {
      const unknown = await hold(17, 1, 'POST', '/device/v1/authenticate', { 'content-length': BODY_LIMIT })
      assert.equal(unknown.length, 1)
      assert.match(unknown[0] ?? '', /^HTTP\/1\.1 429[^]*retry-after: \d/)
      const [refused, ...others] = await holdAs(6, greedy[0] ?? '', 1)
      assert.match(refused ?? '', /^HTTP\/1\.1 429[^]*retry-after: \d[^]*too_many_requests/)
      assert.deepEqual(others, [])
      assert.equal((await send('PUT', GROUP, TAGS, calm)).status, 200)
      for (const token of greedy.slice(1)) assert.deepEqual(await holdAs(5, token), [])
      assert.deepEqual(await holdAs(1, admin), [])
      assert.deepEqual(await send('PUT', GROUP, TAGS, calm), { status: 503, code: 'unavailable' })
    } finally {
      for (const { socket } of held) socket.destroy()
    }
    await until('the room to be free', () => held.every(({ isClosed }) => isClosed()))
    for (const token of [calm, ...greedy]) assert.equal((await send('PUT', GROUP, TAGS, token)).status, 200)
    assert.equal((await send('POST', '/device/v1/authenticate', '{}')).status, 400)
    assert.deepEqual(
      (await getEntries('body calm')).map(({ status_code }) => status_code),
      [200, 503, 200],
    )
  })

  it('is refused when the session ends before the body is complete', async () => {
    const token = await session('body slow')
    const { socket, answer, isRead } = await opened()
    const path = GROUP.replace('Body', 'Late')
    const headers = { 'content-type': JSON_TYPE, 'content-length': TAGS.length }
    socket.write(getHead('PUT', path, { ...headers, authorization: `Bearer ${token}` }) + TAGS.slice(0, 5))
    await until('the head is read', isRead)
    await server.sql(`update portal_sessions set ended_at = 1 where user_reference = 'body slow'`)
    // A session that was read before counts for a second.
    await pause(1100)
    socket.write(TAGS.slice(5))
    await until('the refusal', () => answer().includes('session_ended'))
    socket.destroy()
    assert.equal((await server.sql(`select from groups where group_reference = 'Late Group'`)).length, 0)
    assert.deepEqual(
      (await getEntries('body slow')).map(({ status_code, denial_reason }) => [status_code, denial_reason]),
      [[401, 'session_ended']],
    )
  })
})
