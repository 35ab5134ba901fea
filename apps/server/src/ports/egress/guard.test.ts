import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { makeCertificate, opensslAvailable, startTlsServer, type TlsServer } from '../../testing/issuer.ts'
import { requirePart } from '../../testing/require-part.ts'
import { dialAddress } from './dial-address.ts'
import { type EgressOptions, isPublicAddress, makeEgress } from './guard.ts'
import { EgressProblem, type EgressReason } from './port.ts'

/** Milliseconds: more than any call takes that does not wait for the peer. */
const GENEROUS = 30_000

const refuses = (work: Promise<unknown>, reason: EgressReason, message?: string) =>
  assert.rejects(
    work,
    (error) => {
      assert.ok(error instanceof EgressProblem, String(error))
      assert.equal(error.reason, reason, message)
      return true
    },
    message,
  )

/** Addresses that a customer may type, each with the reason for its refusal before any lookup. */
const TYPED: [string, EgressReason][] = [
  ['http://idp.example/', 'not_https'],
  ['file:///etc/passwd', 'not_https'],
  ['data:application/json,{}', 'not_https'],
  ['javascript:alert(1)', 'not_https'],
  ['gopher://127.0.0.1:6379/_FLUSHALL', 'not_https'],
  ['nonsense', 'forbidden_address'],
  ['https://', 'forbidden_address'],
  ['https://user@idp.example/', 'credentials_in_address'],
  ['https://:secret@idp.example/', 'credentials_in_address'],
  ['https://idp.example@127.0.0.1/', 'credentials_in_address'],
  ['https://127.0.0.1/', 'forbidden_address'],
  ['https://2130706433/', 'forbidden_address'],
  ['https://0177.0.0.1/', 'forbidden_address'],
  ['https://017700000001/', 'forbidden_address'],
  ['https://127.1/', 'forbidden_address'],
  ['https://127.0.0.1./', 'forbidden_address'],
  ['https://①②⑦.⓪.⓪.①/', 'forbidden_address'],
  ['https://127。0。0。1/', 'forbidden_address'],
  ['https://169.254.169.254/latest/meta-data/', 'forbidden_address'],
  ['https://2852039166/', 'forbidden_address'],
  ['https://0251.0376.0251.0376/', 'forbidden_address'],
  ['https://[::1]/', 'forbidden_address'],
  ['https://[::]/', 'forbidden_address'],
  ['https://[::ffff:127.0.0.1]/', 'forbidden_address'],
  ['https://[::ffff:a9fe:a9fe]/', 'forbidden_address'],
  ['https://[64:ff9b::169.254.169.254]/', 'forbidden_address'],
  ['https://[2002:7f00:1::]/', 'forbidden_address'],
  ['https://[fe80::1]/', 'forbidden_address'],
  ['https://[fd00:ec2::254]/', 'forbidden_address'],
  ['https://localhost/', 'forbidden_address'],
  ['https://printer.LOCALHOST./', 'forbidden_address'],
]

test('validates an address before it looks up its host name', async () => {
  let lookups = 0
  const egress = makeEgress({ resolve: async () => (lookups++, ['1.1.1.1']) })
  for (const [address, reason] of TYPED) {
    await refuses(egress.fetchJson(address), reason, address)
    await refuses(egress.fetch(address), reason, address)
    assert.equal(egress.admits(address), false, address)
  }
  assert.equal(lookups, 0)
  for (const address of ['https://idp.example/', 'https://idp.example:8443/realm', 'https://1.1.1.1/'])
    assert.equal(egress.admits(address), true, address)
})

test('validates dialled hosts like requested addresses and allows only the listed port', async () => {
  const own = createServer().listen(0, '127.0.0.1')
  await once(own, 'listening')
  const { port } = own.address() as AddressInfo
  const limits = { timeoutMs: GENEROUS }
  const egress = makeEgress({ allow: [`sftp://127.0.0.1:${port}`] })
  for (const host of ['127.0.0.2', 'localhost', '::1', '::ffff:127.0.0.1', '10.0.0.1'])
    await refuses(egress.addressesFor(host, port, limits), 'forbidden_address', host)
  // The resolver reads these numbers.
  for (const host of ['2130706433', '0177.0.0.1', '127.1'])
    await refuses(egress.addressesFor(host, port, limits), 'unknown_host', host)
  for (const host of ['', '127.0.0.1/x', '127.0.0.1?', '127.0.0.1#', ' ', 'a b'])
    await assert.rejects(egress.addressesFor(host, port, limits), EgressProblem, host)
  await refuses(egress.addressesFor('x@127.0.0.1', port, limits), 'credentials_in_address')
  await refuses(egress.addressesFor('127.0.0.1', port + 1, limits), 'forbidden_address')
  const two = makeEgress({ resolve: async () => ['1.1.1.1', '127.0.0.1'] })
  await refuses(two.addressesFor('sftp.example', port, limits), 'unknown_host')
  await refuses(egress.fetch(`https://127.0.0.1:${port}/`), 'forbidden_address')
  for (const address of ['file:///etc/passwd', 'data:,x', 'sftp://127.0.0.1:22'])
    assert.equal(egress.admits(address), false, address)
  const addresses = await egress.addressesFor('127.0.0.1', port, limits)
  const socket = await dialAddress('127.0.0.1', port, addresses, AbortSignal.timeout(GENEROUS))
  socket.destroy()
  own.close()
})

test('rejects a host name with a forbidden address exactly like one that does not exist', async () => {
  for (const found of [
    ['127.0.0.1'],
    ['1.1.1.1', '10.0.0.1'],
    ['::1', '1.1.1.1'],
    ['fe80::1%lo'],
    ['not-an-ip'],
  ]) {
    const egress = makeEgress({ resolve: async () => found })
    await refuses(egress.fetchJson('https://idp.example/'), 'unknown_host', found.join())
  }
  await refuses(makeEgress({ resolve: async () => [] }).fetchJson('https://idp.example/'), 'unknown_host')
  const failing = makeEgress({ resolve: async () => Promise.reject(new Error('ENOTFOUND')) })
  await refuses(failing.fetchJson('https://idp.example/'), 'unknown_host')
  await refuses(makeEgress().fetchJson('https://localhost/'), 'forbidden_address', 'with the real resolver')
})

test('times out a slow name lookup', async () => {
  const egress = makeEgress({ resolve: () => pause(2 * GENEROUS, ['1.1.1.1'], { ref: false }) })
  const started = performance.now()
  await refuses(egress.fetchJson('https://idp.example/', { timeoutMs: 100 }), 'too_slow')
  assert.ok(performance.now() - started < GENEROUS)
})

describe('requests to a TLS server', requirePart('openssl', opensslAvailable()), () => {
  let certificate: ReturnType<typeof makeCertificate>
  let server: TlsServer
  /** On an internal address, at the same port: no connection may arrive. */
  let canary: TlsServer
  const asked: string[] = []

  before(async () => {
    certificate = makeCertificate('idp.example')
    server = await startTlsServer(certificate, (request, response) => {
      asked.push(`${request.method} ${request.headers.host} ${request.url}`)
      const json = { 'content-type': 'application/json' }
      if (request.url === '/ok') return void response.writeHead(200, json).end('{"ok":true}')
      if (request.url === '/text') return void response.writeHead(200).end('<html>')
      if (request.url?.startsWith('/missing')) return void response.writeHead(404).end('{}')
      if (request.url === '/empty') return void response.writeHead(204).end()
      if (request.url?.startsWith('/redirect/')) {
        const location = `https://127.0.0.9:${server.port}/`
        return void response.writeHead(Number(request.url.slice(10)), { location }).end()
      }
      if (request.url === '/announced')
        return void response.writeHead(200, { 'content-length': 9_000_000 }).write('x')
      if (request.url === '/endless') {
        response.writeHead(200, json)
        const pipeTo = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536))) continue
        }
        response.on('drain', pipeTo)
        return pipeTo()
      }
      if (request.url === '/gzip')
        return void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
      if (request.url === '/trickle') {
        response.writeHead(200, json)
        const timer = setInterval(() => response.write(' '), 20)
        return void response.on('close', () => clearInterval(timer))
      }
      if (request.url === '/echo') {
        let text = ''
        request.on('data', (chunk) => (text += String(chunk)))
        const { host: _host, ...headers } = request.headers
        request.on('end', () => void response.writeHead(200, json).end(JSON.stringify({ text, headers })))
        return
      }
      // '/silent': nothing at all.
    })
    canary = await startTlsServer(
      certificate,
      (_request, response) => response.end('{}'),
      '127.0.0.9',
      server.port,
    )
  })
  after(async () => {
    assert.equal(canary?.connections(), 0, 'no connection reached the internal address')
    await server?.close()
    await canary?.close()
  })

  /** In these tests 127.0.0.1 is the public internet, and every other address of the machine is internal. */
  const guard = (options: EgressOptions = {}) =>
    makeEgress({
      resolve: async () => ['127.0.0.1'],
      isPublic: (address) => address === '127.0.0.1',
      ca: certificate.cert,
      ...options,
    })
  const at = (path: string, host = 'idp.example') => `https://${host}:${server.port}${path}`

  test('return the response and use the right host name', async () => {
    assert.deepEqual(await guard().fetchJson(at('/ok')), { ok: true })
    assert.equal(asked.at(-1), `GET idp.example:${server.port} /ok`)
    assert.equal(server.names.at(-1), 'idp.example')
    const response = await guard().fetch(at('/missing'))
    assert.deepEqual([response.status, await response.text()], [404, '{}'])
    assert.equal((await guard().fetch(at('/empty'))).status, 204)
  })

  test('look up the host name once and connect to the address of that lookup', async () => {
    let lookups = 0
    const resolve = async () => (lookups++ === 0 ? ['127.0.0.1'] : ['127.0.0.9'])
    const before = server.connections()
    assert.deepEqual(await guard({ resolve }).fetchJson(at('/ok')), { ok: true })
    assert.equal(lookups, 1)
    assert.equal(server.connections(), before + 1)
  })

  test('look up and validate the host name again for each request', async () => {
    let lookups = 0
    const egress = guard({ resolve: async () => (lookups++ === 0 ? ['127.0.0.1'] : ['127.0.0.9']) })
    await egress.fetchJson(at('/ok'))
    await refuses(egress.fetchJson(at('/ok')), 'unknown_host')
  })

  test('use the next checked address when the first one does not answer', async () => {
    const both = guard({ resolve: async () => ['127.0.0.77', '127.0.0.1'], isPublic: () => true })
    assert.deepEqual(await both.fetchJson(at('/ok')), { ok: true })
  })

  test('do not follow redirects', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      await refuses(guard().fetchJson(at(`/redirect/${status}`)), 'redirected')
      await refuses(guard().fetch(at(`/redirect/${status}`), { redirect: 'follow' }), 'redirected')
    }
  })

  test('limit the size of responses and reject compressed responses', async () => {
    await refuses(guard().fetchJson(at('/announced')), 'too_large')
    await refuses(guard().fetchJson(at('/endless')), 'too_large')
    await refuses(guard().fetch(at('/endless')), 'too_large')
    await refuses(guard().fetchJson(at('/ok'), { maxBytes: 5 }), 'too_large')
    await refuses(guard().fetchJson(at('/gzip')), 'encoded')
  })

  test('limit the time of silent and slow responses', async () => {
    for (const path of ['/silent', '/trickle']) {
      const started = performance.now()
      await refuses(guard().fetchJson(at(path), { timeoutMs: 300 }), 'too_slow')
      assert.ok(performance.now() - started < GENEROUS, path)
    }
    const stopped = guard().fetch(at('/silent'), { signal: AbortSignal.timeout(50) })
    await assert.rejects(stopped, { name: 'TimeoutError' })
  })

  test('report responses that are not JSON or not successful', async () => {
    await refuses(guard().fetchJson(at('/text')), 'not_json')
    await refuses(guard().fetchJson(at('/missing')), 'wrong_status')
  })

  test('require a trusted certificate for the host name', async () => {
    await refuses(guard().fetchJson(at('/ok', 'other.example')), 'unreachable')
    const strict = makeEgress({ resolve: async () => ['127.0.0.1'], isPublic: () => true })
    await refuses(strict.fetchJson(at('/ok')), 'unreachable')
  })

  test('pass on form bodies and headers but replace the Host header', async () => {
    const response = await guard().fetch(at('/echo'), {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'authorization_code', code: 'a b' }),
      headers: { authorization: 'Basic eA==', host: '127.0.0.9' },
    })
    const { text, headers } = (await response.json()) as { text: string; headers: Record<string, string> }
    assert.equal(text, 'grant_type=authorization_code&code=a+b')
    assert.equal(headers['content-type'], 'application/x-www-form-urlencoded;charset=UTF-8')
    assert.equal(headers.authorization, 'Basic eA==')
    assert.equal(server.names.at(-1), 'idp.example')
    assert.equal(headers['accept-encoding'], 'identity')
  })

  test('name only the host in error messages, and no secrets', async () => {
    await assert.rejects(guard().fetchJson(at('/missing?code=secret')), (error: Error) => {
      assert.equal(error.message, `idp.example:${server.port}: wrong_status`)
      return true
    })
  })
})

describe('origins that the operator allows', () => {
  let inner: Server
  let origin: string
  before(async () => {
    inner = createServer((request, response) => {
      if (request.url === '/away') return void response.writeHead(302, { location: '/' }).end()
      response.end('{"inner":true}')
    })
    await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(inner.address() as AddressInfo).port}`
  })
  after(() => {
    inner.closeAllConnections()
    inner.close()
  })

  test('are reached on internal addresses and without TLS', async () => {
    const egress = makeEgress({ allow: [origin] })
    assert.deepEqual(await egress.fetchJson(`${origin}/any/path`), { inner: true })
    assert.equal(egress.admits(origin), true)
    await refuses(makeEgress().fetchJson(origin), 'not_https')
  })

  test('do not include other ports, hosts or schemes', async () => {
    const egress = makeEgress({ allow: [origin, 'https://idp.inner'] })
    for (const other of [
      origin.replace(/\d+$/, '1'),
      origin.replace('127.0.0.1', '127.0.0.2'),
      origin.replace('http:', 'https:'),
      'http://idp.inner/',
      'https://idp.inner:444/x',
      'https://sub.idp.inner/',
    ]) {
      const work = egress.fetchJson(other, { timeoutMs: 2000 })
      await assert.rejects(work, EgressProblem, other)
    }
  })

  test('still refuse redirects and credentials in the address', async () => {
    const egress = makeEgress({ allow: [origin] })
    await refuses(egress.fetchJson(`${origin}/away`), 'redirected')
    await refuses(egress.fetchJson(origin.replace('://', '://me@')), 'credentials_in_address')
  })
})

/** First and last address of every forbidden range, and encodings of such addresses. */
const FORBIDDEN = `
0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.255
168.63.129.16 169.254.0.0 169.254.169.254 169.254.170.2 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.192
192.0.0.255 192.0.2.0 192.0.2.255 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.0 192.168.255.255 192.175.48.1 198.18.0.0
198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.255
:: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.1.2.3 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1
64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1 2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:db8::1
2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 2002:7f00:1:: 2002:a9fe:a9fe::1 2620:4f:8000::1 3fff::1 3fff:fff:ffff::1 5f00::1
4000::1 fc00::1 fd00:ec2::254 fdff:ffff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 ff0e::1 2606:4700::1111%1
localhost 2130706433 0x7f.1 0177.0.0.1 127.1 1.2.3 8.8.8.8:443 [::1] example.com
`
const PUBLIC = `
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17
169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 2001:200::1 2001:4860:4860::8888 2001:db7::1 2001:db9::1
2003::1 2606:4700:4700::1111 2a00:1450:4001:800::200e 3ffe:ffff::1
`
const listed = (text: string) => text.trim().split(/\s+/)

test('recognises public internet addresses and rejects all others', () => {
  for (const address of listed(FORBIDDEN)) assert.equal(isPublicAddress(address), false, address)
  assert.equal(isPublicAddress(''), false)
  for (const address of listed(PUBLIC)) assert.equal(isPublicAddress(address), true, address)
})

/** An independent implementation of RFC 1918, 3927, 5735 and 6598 with plain arithmetic. */
const isInside = (a: number, b: number): boolean =>
  a === 10 ||
  a === 127 ||
  a === 0 ||
  a >= 224 ||
  (a === 100 && b >= 64 && b < 128) ||
  (a === 169 && b === 254) ||
  (a === 172 && b >= 16 && b < 32) ||
  (a === 192 && b === 168)

test('rejects internal IPv4 addresses in every IPv6 form', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      const v4 = [a, b, c, d].join('.')
      if (isInside(a, b)) assert.equal(isPublicAddress(v4), false, v4)
      const [high, low] = [a * 256 + b, c * 256 + d].map((each) => each.toString(16))
      const wrapped = ['::', '::ffff:', '64:ff9b::', '2002:', '::ffff:0:'].map(
        (prefix) => `${prefix}${high}:${low}`,
      )
      for (const each of wrapped) {
        const v6 = each.startsWith('2002:') ? `${each}::` : each
        assert.equal(isPublicAddress(v6), false, v6)
      }
    }),
    { numRuns: 1000 },
  )
})
