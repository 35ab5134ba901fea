import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, describe, test, type TestContext } from 'node:test'
import { deflateRawSync, crc32 } from 'node:zlib'
import { type Clamd, clamdAvailable, eicar, startClamd } from '../../testing/clamd.ts'
import { requirePart } from '../../testing/require-part.ts'
import { clamdScanner } from './clamd.ts'
import { noScanner, ScanLimitExceeded, ScannerUnavailable } from './port.ts'

const limit = 24 << 20
let started: Promise<Clamd> | undefined
const clamd = () => (started ??= startClamd({ limit }))
after(async () => (await started?.catch(() => undefined))?.stop())
const tcp = async () => {
  const { host, port } = await clamd()
  return clamdScanner({ host, port })
}

async function* chunks(...parts: Buffer[]): AsyncGenerator<Buffer> {
  yield* parts
}
const infected = { infected: true, signature: 'Test.Eicar.Body.UNOFFICIAL' }
const megabytes = (count: number) => Array.from({ length: count }, () => Buffer.alloc(1 << 20, 65))

describe('clamd', requirePart('clamd', clamdAvailable()), () => {
  test('reports clean and empty streams as clean and finds EICAR', async () => {
    const scanner = await tcp()
    assert.deepEqual(await scanner.scan(chunks(Buffer.from('hello'))), { infected: false })
    assert.deepEqual(await scanner.scan(chunks()), { infected: false })
    const { infected, ...rest } = await scanner.scan(chunks(eicar))
    assert.ok(infected, JSON.stringify(rest))
    await scanner.health()
  })

  test('finds EICAR after 5 MB of data and in chunks of any size', async () => {
    const scanner = await tcp()
    const deep = [...megabytes(5), eicar, Buffer.alloc(100)]
    assert.deepEqual(await scanner.scan(chunks(...deep)), infected)
    assert.deepEqual(await scanner.scan(chunks(Buffer.concat(deep))), infected)
    assert.deepEqual(await scanner.scan(chunks(Buffer.from('a'), Buffer.alloc(0), eicar)), infected)
    const bytes = Array.from(eicar, (byte) => Buffer.from([byte]))
    assert.equal((await scanner.scan(chunks(...bytes))).infected, true)
  })

  test('EICAR is found inside a deflated zip', async () => {
    assert.equal((await (await tcp()).scan(chunks(zip('e.com', eicar)))).infected, true)
  })

  test('throws for content over the limit instead of calling it clean', async () => {
    const scanner = await tcp()
    await assert.rejects(scanner.scan(chunks(...megabytes(26))), ScanLimitExceeded)
    const bomb = zip('zeros', Buffer.alloc(64 << 20))
    await assert.rejects(scanner.scan(chunks(bomb)), ScanLimitExceeded)
  })

  test('works over a Unix socket with eight scans at a time', async () => {
    const { path } = await clamd()
    const scanner = clamdScanner({ path })
    const scans = Array.from({ length: 8 }, (_, n) =>
      scanner.scan(chunks(...megabytes(2), n % 2 ? eicar : Buffer.from('x'))),
    )
    const found = (await Promise.all(scans)).map((verdict) => verdict.infected)
    assert.deepEqual(found, [false, true, false, true, false, true, false, true])
    await scanner.health()
  })

  test('passes on an error of the source unchanged', async () => {
    const broken = new Error('segment does not verify')
    const source = async function* () {
      yield Buffer.from('begin')
      throw broken
    }
    await assert.rejects((await tcp()).scan(source()), (error) => error === broken)
  })
})

test('reports ScannerUnavailable when no scanner listens', async () => {
  for (const scanner of [
    clamdScanner({ host: '127.0.0.1', port: 1 }),
    clamdScanner({ path: '/nonexistent.sock' }),
  ]) {
    await assert.rejects(scanner.scan(chunks(...megabytes(8))), ScannerUnavailable)
    await assert.rejects(scanner.health(), ScannerUnavailable)
  }
})

test('reports a missing scanner as not configured and calls nothing clean', async () => {
  assert.equal(noScanner.configured, false)
  await assert.rejects(noScanner.scan(chunks(Buffer.from('x'))), ScannerUnavailable)
})

/** A server that answers like a broken clamd. */
async function impostor(t: TestContext, answer: (socket: Socket) => void) {
  const server = createServer((socket) => answer(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return clamdScanner({ host: '127.0.0.1', port, timeout_ms: 300 })
}

for (const [what, answer] of [
  ['no reply', () => {}],
  ['a closed connection', (socket: Socket) => socket.end()],
  ['a reset connection', (socket: Socket) => socket.resetAndDestroy()],
  ['OK before the end of the stream', (socket: Socket) => socket.write('stream: OK\0')],
  ['OK without a terminator', (socket: Socket) => socket.end('stream: OK')],
  ['an unknown reply', (socket: Socket) => socket.end('OK\0')],
  ['OK after other text', (socket: Socket) => socket.end('x\nstream: OK\0')],
  ['an endless reply', (socket: Socket) => socket.write('x'.repeat(9000))],
] as const) {
  test(`reports ${what} as ScannerUnavailable`, { timeout: 60_000 }, async (t) => {
    const scanner = await impostor(t, answer)
    const slow = async function* () {
      yield* megabytes(8)
      await new Promise((resolve) => setTimeout(resolve, 50))
      yield* megabytes(1)
    }
    await assert.rejects(scanner.scan(slow()), ScannerUnavailable)
    await assert.rejects(scanner.health(), ScannerUnavailable)
  })
}

/** The smallest zip archive with one deflated entry (APPNOTE 4.3). */
function zip(name: string, content: Buffer): Buffer {
  const data = deflateRawSync(content)
  const file = Buffer.from(name)
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(8, 4)
  fields.writeUInt32LE(crc32(content), 10)
  fields.writeUInt32LE(data.length, 14)
  fields.writeUInt32LE(content.length, 18)
  fields.writeUInt16LE(file.length, 22)
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, file, data])
  const central = Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), fields, Buffer.alloc(14), file])
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, central, end])
}
