/** Real processes: their traces, what `/livez`, `/readyz` and the API answer while a part is broken, and how they end. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { api, fullPath } from '@custodia/contract'
import { type MainProcess, mainProcess, mayMount, smallDisk } from '../testing/daemon.ts'
import { emptyDatabase } from '../testing/database.ts'
import { LONG, longOnly } from '../testing/long.ts'
import { hangingServer, silentProxy } from '../testing/silent-peers.ts'
import { FAST_DATABASE } from '../testing/test-context.ts'
import { until } from '../testing/waits.ts'

/** Seconds: the bars are 3 and 10; a machine that is busy with other tests adds some. Who waits for the broken part takes minutes. */
const HEALTH_WITHIN = 3 + 20
const REQUEST_WITHIN = 10 + 20

interface Answer {
  status: number
  seconds: number
  body: { status?: string; parts?: Record<string, string>; warnings?: string[]; code?: string }
  retryAfter: string | null
}

async function ask(url: string, init?: RequestInit): Promise<Answer> {
  const started = performance.now()
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000), ...init })
  const body = (await response.json()) as Answer['body']
  const seconds = (performance.now() - started) / 1000
  return { status: response.status, seconds, body, retryAfter: response.headers.get('retry-after') }
}

/**
 * Sends many requests to both checks until `/readyz` has the status, because of this part if it is named: on a busy
 * machine another one may be slow. All answers are in time, and `/livez` is always 200.
 */
async function untilReadyz({ url }: MainProcess, ready: number, part?: string): Promise<Answer['body']> {
  const found = await until(
    `/readyz to answer ${ready} ${part ?? ''}`,
    async () => {
      const answers = await Promise.all(
        ['/livez', '/readyz'].flatMap((path) => Array.from({ length: 10 }, () => ask(url + path))),
      )
      const slowest = Math.max(...answers.map(({ seconds }) => seconds))
      assert.ok(slowest < HEALTH_WITHIN, `answered after ${slowest} s`)
      for (const { status } of answers.slice(0, 10)) assert.equal(status, 200)
      return { ready: answers[10]?.status, body: answers[10]?.body }
    },
    ({ ready: status, body }) =>
      status === ready && (part === undefined || body?.parts?.[part] === 'unavailable'),
  )
  return found.body ?? {}
}

/** A call whose first step is a database query for the caller. */
function getCall(url: string): Promise<Answer> {
  const token = Buffer.alloc(36)
  token.writeUInt32BE(1)
  const headers = {
    authorization: `Bearer ${token.toString('base64url')}`,
    'content-type': 'application/json',
  }
  return ask(url + fullPath(api.announcePayloads), { method: 'POST', headers, body: '{}' })
}

/** The embedded PostgreSQL of a server and all that it started. */
function getPostgres({ dataDir }: MainProcess): number[] {
  const file = join(dataDir, 'postgres/postmaster.pid')
  if (!existsSync(file)) return []
  const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0])
  if (!existsSync(`/proc/${postmaster}`)) return []
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
  // Never 0: that would be ourselves.
  return [postmaster, ...children.trim().split(' ').map(Number)].filter((pid) => pid > 1)
}

/** Writes until the disk is full. */
function fill(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (;;) writeSync(file, Buffer.alloc(4096))
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
  } finally {
    closeSync(file)
  }
}

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

/** Seconds within which the process must exit, with an allowance for a busy machine. */
const GONE_WITHIN = 20 + 40

/** At this signal the process gets an uncaught exception and an unhandled rejection, injected from outside. */
const PLANTED = `process.on('SIGUSR2', () => { setTimeout(() => { throw new Error('b') }); Promise.reject(new Error('a')) })`

describe('a server process', () => {
  const spans: Span[] = []
  const collector = createServer(async (request, response) => {
    const body = (await json(request)) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
    spans.push(...body.resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  let server: MainProcess
  before(async () => {
    await once(collector.listen(0, '127.0.0.1'), 'listening')
    server = await mainProcess({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PLANTED)}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_BSP_SCHEDULE_DELAY: '200',
    })
  })
  after(async () => {
    await server?.stop()
    collector.close()
  })

  it('sends spans of a request and its statements to the collector as part of the caller’s trace', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const path = fullPath(api.listPayloads).replace(':client', 'acme')
    await fetch(`${server.url}${path}?search=secret-number`, {
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, authorization: 'Bearer secret-token' },
    })
    await fetch(`${server.url}/readyz`, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } })

    const ready = await until(
      'the span of the request',
      async () => spans.find(({ name }) => name === 'GET /readyz'),
      (span) => span !== undefined,
    )
    assert.deepEqual([ready?.traceId, ready?.parentSpanId], [traceId, '00f067aa0ba902b7'])
    assert.ok(
      ready?.attributes.some(
        ({ key, value }) => key === 'http.response.status_code' && value.intValue === 200,
      ),
    )
    const statement = await until(
      'the span of a statement of that request',
      async () =>
        spans.find(({ name, parentSpanId }) => name.startsWith('SQL ') && parentSpanId === ready?.spanId),
      (span) => span !== undefined,
    )
    assert.equal(statement?.traceId, traceId)
    await until('the span of a job', async () => spans.some(({ name }) => name.startsWith('job ')), Boolean)
    assert.doesNotMatch(JSON.stringify(spans), /secret/)
  })

  it('keeps running after uncaught errors and counts them', async () => {
    process.kill(server.daemon.pid, 'SIGUSR2')
    const metrics = await until(
      'both to be counted',
      async () => (await fetch(`${server.url}/metrics`)).text(),
      (text) =>
        ['rejection', 'exception'].every((kind) =>
          text.includes(`custodia_uncaught_errors_total{kind="${kind}"} 1`),
        ),
    )
    assert.ok(metrics)
    assert.ok(server.daemon.running())
    assert.match(server.daemon.output(), /uncaught rejection/)
    await untilReadyz(server, 200)
  })

  it('answers in time while PostgreSQL is stopped, and recovers when it resumes', async () => {
    const stopped = getPostgres(server)
    for (const pid of stopped) process.kill(pid, 'SIGSTOP')
    try {
      await untilReadyz(server, 503, 'database')
      const started = performance.now()
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      assert.ok(performance.now() - started < HEALTH_WITHIN * 1000)
      assert.match(metrics, /^custodia_part_up\{part="database"\} 0$/m)
      const calls = await Promise.all(Array.from({ length: 20 }, () => getCall(server.url)))
      for (const { status, seconds, retryAfter } of calls) {
        assert.equal(status, 503)
        assert.ok(retryAfter)
        assert.ok(seconds < REQUEST_WITHIN, `answered after ${seconds} s`)
      }
      // With every connection of every pool in use.
      await untilReadyz(server, 503)
    } finally {
      for (const pid of stopped.toReversed()) process.kill(pid, 'SIGCONT')
    }
    await untilReadyz(server, 200)
  })

  // The last one: it ends the process.
  it('answers open requests with 503 after SIGTERM, and exits in time despite open connections', async () => {
    const { port } = new URL(server.url)
    const begin = async () => {
      const socket = connect(Number(port), '127.0.0.1')
      await once(socket, 'connect')
      socket.write('GET /health HTTP/1.1\r\nhost: x\r\n')
      return socket
    }
    const [asking, holding, third] = [await begin(), await begin(), await begin()]
    holding.on('error', () => undefined)
    // Connections are taken, and read from, in their order: once the third has its answer, the signal finds the others begun.
    third.write('\r\n')
    await once(third, 'data')
    third.destroy()
    const result = performance.now()
    process.kill(server.daemon.pid, 'SIGTERM')
    await until('the door to be closed', () =>
      fetch(`${server.url}/health`).then(
        () => false,
        () => true,
      ),
    )
    asking.end('\r\n')
    const answer = await text(asking)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    assert.match(head, /^HTTP\/1\.1 503 /)
    assert.match(head, /\r\nretry-after: \d+/i)
    assert.match(head, /\r\nconnection: close/i)
    const problem = JSON.parse(body) as Record<string, unknown>
    assert.deepEqual([problem['error_code'], problem['code']], [503, 'unavailable'])
    await until('the process to be gone', () => !server.daemon.running())
    const seconds = (performance.now() - result) / 1000
    assert.ok(seconds < GONE_WITHIN, `was gone after ${seconds} s`)
  })
})

describe('a server with failing parts', { concurrency: 2 }, () => {
  it('restarts its PostgreSQL after each kill and keeps running', longOnly, async (t) => {
    const server = await mainProcess()
    t.after(() => server.stop())
    for (let i = 0; i < 3; i++) {
      const [postmaster] = await until(
        'a PostgreSQL to kill',
        () => getPostgres(server),
        (pids) => pids.length > 1,
      )
      assert.ok(postmaster)
      process.kill(postmaster, 'SIGKILL')
      await until(
        'PostgreSQL to be another one',
        () => ![postmaster, undefined].includes(getPostgres(server)[0]),
        Boolean,
      ).catch(() => assert.fail(server.daemon.output()))
      await untilReadyz(server, 200)
    }
    assert.ok(server.daemon.running())
  })

  it('answers in time while the database connection hangs, and recovers by itself', longOnly, async (t) => {
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const proxy = await silentProxy(database.connection)
    t.after(() => proxy.stop())
    const server = await mainProcess({ DATABASE_URL: proxy.connection, ...FAST_DATABASE })
    t.after(() => server.stop())
    proxy.hush('all')
    await untilReadyz(server, 503)
    for (let i = 0; i < 2; i++) {
      const { status, seconds, retryAfter } = await getCall(server.url)
      assert.equal(status, 503)
      assert.ok(retryAfter)
      assert.ok(seconds < REQUEST_WITHIN, `answered after ${seconds} s`)
    }
    proxy.relent()
    await untilReadyz(server, 200)
  })

  it('answers in time while S3 hangs, and names the failing part', longOnly, async (t) => {
    const s3 = await hangingServer()
    t.after(() => s3.stop())
    const server = await mainProcess({
      S3_BUCKET: 'b',
      S3_ENDPOINT: s3.endpoint,
      S3_ACCESS_KEY_ID: 'AK',
      S3_SECRET_ACCESS_KEY: 'SK',
    })
    t.after(() => server.stop())
    const { parts } = await untilReadyz(server, 503, 'objects')
    const { converter: _whatever, ...needed } = parts ?? {}
    assert.deepEqual(needed, {
      database: 'ok',
      objects: 'unavailable',
      keys: 'ok',
      scanner: 'not configured',
      space: 'ok',
    })
    assert.ok(server.daemon.running())
  })

  it(
    'keeps running but is not ready while the object disk is full',
    LONG ? mayMount : longOnly,
    async (t) => {
      const server = await mainProcess({ DISK_RESERVE_MB: '0' })
      t.after(() => server.stop())
      const folder = join(server.dataDir, 'objects')
      mkdirSync(folder, { recursive: true })
      const unmount = smallDisk(folder, 'size=64k')
      try {
        await untilReadyz(server, 200)
        fill(join(folder, 'filler'))
        await untilReadyz(server, 503, 'objects')
        assert.ok(server.daemon.running())
        rmSync(join(folder, 'filler'))
        await untilReadyz(server, 200)
      } finally {
        unmount()
      }
    },
  )
})
