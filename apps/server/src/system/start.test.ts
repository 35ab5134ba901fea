/** Processes of the server: what they say when they cannot start, listen, trace and end. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile, rm, truncate } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { api, fullPath } from '@custodia/contract'
import { assertLedgerThere } from '../destruction/store.ts'
import { emptyDatabase } from '../testing/database.ts'
import { mainProcess, mayMount, reservePort, smallDisk } from '../testing/daemon.ts'
import { ingestFixture, type IngestFixture } from '../testing/ingest-fixture.ts'
import { signIn } from '../testing/access-fixture.ts'
import { FAST_DATABASE } from '../testing/test-context.ts'
import { until } from '../testing/waits.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'custodia-start-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the server until it fails; returns its output. */
function refusal(env: Record<string, string>): string {
  const base = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    CUSTODIA_DATA: join(folder, 'data'),
    PORT: '0',
    DEMO: 'false',
  }
  // Without V8 threads: Node sometimes hangs at exit because of them (nodejs/node#54918).
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--v8-pool-size=0', MAIN, 'start'], {
    env: { ...base, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(status, 1, stderr)
  assert.doesNotMatch(stderr + stdout, /\n\s+at /, 'no stack')
  return stderr.trim()
}

describe('a server that cannot start', () => {
  it('reports a port in use before it creates or migrates anything', async (t) => {
    const other = createServer().listen(0, '127.0.0.1')
    t.after(() => other.close())
    await once(other, 'listening')
    const taken = String((other.address() as AddressInfo).port)
    const dataDir = join(folder, 'taken')
    const stated = refusal({ PORT: taken, CUSTODIA_DATA: dataDir })
    assert.match(
      stated,
      new RegExp(`^The server cannot start: 127\\.0\\.0\\.1:${taken}: another program listens there`),
    )
    assert.deepEqual(readdirSync(dataDir), [])
  })

  it('reports an invalid path of the data folder', () => {
    writeFileSync(join(folder, 'file'), '')
    const stated = refusal({ CUSTODIA_DATA: join(folder, 'file', 'data') })
    assert.match(stated, /^The server cannot start: .*file\/data: a part of the path is no folder$/)
  })

  it('reports a read-only data folder', mayMount, () => {
    const readOnly = mkdtempSync(join(folder, 'read-only-'))
    const unmount = smallDisk(readOnly, 'ro')
    try {
      const stated = refusal({ CUSTODIA_DATA: readOnly })
      assert.match(stated, /^The server cannot start: .*read-only-.*: its file system is read-only$/)
    } finally {
      unmount()
    }
  })

  it('reports an unreachable or unknown database', async (t) => {
    assert.match(
      refusal({ DATABASE_URL: `postgres://u@127.0.0.1:${await reservePort()}/d` }),
      /^The server cannot start: 127\.0\.0\.1:\d+: no server listens there$/,
    )
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const wrong = new URL(database.connection)
    wrong.pathname = '/no_such_database'
    assert.match(refusal({ DATABASE_URL: wrong.href }), /database "no_such_database" does not exist$/)
  })

  it('reports a database with unsafe durability settings', async (t) => {
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const stated = refusal({ DATABASE_URL: database.connection })
    assert.match(
      stated,
      /^The server cannot start: DATABASE_URL: the server runs with fsync = off and full_page_writes = off, so that/,
    )
  })

  it('creates no new keys for clients whose keys are missing', async (t) => {
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const env = { DATABASE_URL: database.connection, DEMO: 'true', ...FAST_DATABASE }
    await (await mainProcess(env)).stop()
    const dataDir = join(folder, 'without-keys')
    const stated = refusal({ ...env, CUSTODIA_DATA: dataDir })
    assert.match(
      stated,
      /without-keys\/keys is empty, but the database has clients whose keys it held; restore it from a backup/,
    )
    assert.deepEqual(readdirSync(join(dataDir, 'keys')), [])
  })
})

describe('a server with PORT=0', () => {
  it('prints the address at which it listens, and names it as issuer and in its description', async (t) => {
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const settings = { DATABASE_URL: database.connection, DEMO: 'true', LOG_LEVEL: 'error', ...FAST_DATABASE }
    const server = await mainProcess(settings)
    t.after(() => server.stop())
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:[1-9]\d+$/)
    const read = async (path: string) => (await fetch(`${server.url}${path}`)).json()
    const { issuer } = (await read('/oidc/.well-known/openid-configuration')) as { issuer: string }
    assert.equal(issuer, `${server.url}/oidc`)
    const { servers } = (await read('/openapi.json')) as { servers: unknown }
    assert.deepEqual(servers, [{ url: server.url }])
    const { api } = await signIn(server.url, 'acme', 'alice')
    assert.equal((await api.readProfile({})).user_reference, 'alice')

    const shared = { ...settings, CUSTODIA_DATA: server.dataDir }
    const worker = await mainProcess(shared, ['--services=worker'])
    t.after(() => worker.stop())
    assert.equal((await fetch(`${worker.url}/health`)).status, 200)
    assert.equal((await fetch(`${worker.url}/openapi.json`)).status, 404)
  })
})

describe('an incomplete destruction ledger in the keys folder', () => {
  let fixture: IngestFixture
  let path: string
  before(async () => {
    fixture = await ingestFixture()
    // As a line of a client that this database does not have.
    const { file, bytes, hash } = await fixture.ctx.keys.ledger.append(['{"client":"elsewhere"}'])
    await fixture.sql('insert into destruction_files (file, bytes, hash) values ($1, $2, $3)', [
      file,
      bytes,
      hash,
    ])
    path = join(fixture.ctx.config.dataDir, 'keys', 'destructions', `${file}.ledger`)
    await copyFile(path, `${path}.copy`)
  })
  after(() => fixture?.close())
  const whole = () => copyFile(`${path}.copy`, path)
  const isThere = () => assertLedgerThere(fixture.ctx)

  it('is distinguished from a complete or longer ledger', async () => {
    await isThere()
    await truncate(path, 10)
    await assert.rejects(isThere(), /older copy, or not whole/)
    await rm(path)
    await assert.rejects(isThere(), /older copy, or not whole/)
    await whole()
    await fixture.ctx.keys.ledger.append(['{"client":"elsewhere"}'])
    await isThere()
  })

  it('prevents the server from starting, with an error message', async () => {
    await rm(path)
    const stated = refusal({
      DATABASE_URL: fixture.connection,
      CUSTODIA_DATA: fixture.ctx.config.dataDir,
      ...FAST_DATABASE,
    })
    assert.match(stated, /The server cannot start: the destruction ledger in the keystore is shorter/)
  })
})

/** Seconds within which the process must exit, with an allowance for a busy machine. */
const GONE_WITHIN = 20 + 40

describe('a server that receives SIGTERM', () => {
  it('answers open requests with 503 and exits in time despite open connections', async (t) => {
    const server = await mainProcess()
    t.after(() => server.stop())
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

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

it('spans of a request and its statements are sent to the collector as part of the caller’s trace', async (t) => {
  const spans: Span[] = []
  const collector = createHttpServer(async (request, response) => {
    const body = (await json(request)) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
    spans.push(...body.resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  t.after(() => collector.close())
  const server = await mainProcess({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  })
  t.after(() => server.stop())

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
    ready?.attributes.some(({ key, value }) => key === 'http.response.status_code' && value.intValue === 200),
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
