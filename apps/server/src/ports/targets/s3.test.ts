import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test, type TestContext } from 'node:test'
import {
  CUSTOMER,
  type CustomerRole,
  radosgwAvailable,
  roleArn,
  type S3Server,
  startRadosgw,
} from '../../testing/radosgw.ts'
import { requirePart } from '../../testing/require-part.ts'
import { hangingServer } from '../../testing/silent-peers.ts'
import { type CustomerBucket, customerBucket } from '../../testing/transfer-fixture.ts'
import { makeEgress } from '../egress/guard.ts'
import { conformance, getItem, refuses, sha256 } from './port.conformance.ts'
import type { S3Target } from './port.ts'
import { s3Session } from './s3.ts'

/** Length of a part; more than one part. */
const PART = 8 << 20
const LARGE = PART + 12_345

describe('an S3 bucket of a customer (radosgw)', requirePart('radosgw', radosgwAvailable()), () => {
  let server: S3Server
  let bank: CustomerBucket
  before(async () => {
    server = await startRadosgw()
    bank = await customerBucket(server)
  })
  after(async () => {
    bank?.close()
    await server?.stop()
  })

  const target = (over: Partial<S3Target> = {}): S3Target => ({
    kind: 'S3',
    bucket: bank.bucket,
    region: 'eu-west-1',
    role_arn: roleArn('Deliver'),
    external_id: `custodia-${'a'.repeat(32)}`,
    endpoint: server.endpoint,
    identity: { access_key_id: server.accessKeyId, secret_access_key: server.secretAccessKey },
    ...over,
  })
  async function session(
    t: TestContext,
    over: Partial<S3Target> = {},
    options?: Parameters<typeof s3Session>[2],
  ) {
    const where = target(over)
    const open = await s3Session(where, makeEgress({ allow: [where.endpoint ?? ''] }), options)
    t.after(() => open.close())
    return open
  }
  const as = (role: CustomerRole) => ({ role_arn: roleArn(role) })
  /** A server in front of the real one. */
  async function through(t: TestContext, hooks: Parameters<typeof between>[1] = {}) {
    const front = await between(server.endpoint, hooks)
    t.after(() => front.stop())
    return front
  }

  conformance(
    () => ({
      open: () => s3Session(target(), makeEgress({ allow: [server.endpoint] })),
      path: (below) => `in/${below}`,
      place: (path) => `s3://${bank.bucket}/${path}`,
      read: (path) => bank.read(path),
      list: async (below) =>
        [...(await bank.keys()), ...(await bank.uploads())].filter((key) => key.startsWith(`in/${below}/`)),
    }),
    { whole: [0, PART, LARGE + PART], failing: [300_000, LARGE] },
  )

  test('accepts deliveries with a write-only role, without verifying or removing the test file', async (t) => {
    const open = await session(t, as('PutOnly'))
    const content = randomBytes(100)
    await open.deliver(getItem('in/put/some', content))
    assert.ok((await bank.read('in/put/some')).equals(content))
    assert.deepEqual(await open.prove('in/put'), { is_verified: false, is_removed: false })
    assert.deepEqual(await open.prove('in/put'), { is_verified: false, is_removed: false })
    const left = (await bank.keys()).filter((key) => key.includes('custodia-test'))
    assert.deepEqual(left, ['in/put/custodia-test.txt'])
  })

  test('is accessed with the role, the external id and the expected bucket owner', async (t) => {
    const front = await through(t)
    const open = await session(t, { endpoint: front.endpoint })
    await open.deliver(getItem('in/owner/large', randomBytes(LARGE)))
    await open.prove('in/owner')
    const [assumed, ...requests] = front.asked
    const stated = new URLSearchParams(String(assumed?.body))
    assert.deepEqual(
      [stated.get('Action'), stated.get('ExternalId'), stated.get('RoleArn')],
      ['AssumeRole', target().external_id, roleArn('Deliver')],
    )
    assert.ok(requests.length > 8)
    for (const { method, path, headers } of requests)
      assert.equal(headers['x-amz-expected-bucket-owner'], CUSTOMER.account, `${method} ${path}`)
    // A server compares the body with the signature, and stores the checksum where it supports them.
    for (const { headers, body, path } of requests.filter(({ method }) => method === 'PUT')) {
      const base64 = (algorithm: string) => createHash(algorithm).update(body).digest('base64')
      if (path.includes('partNumber')) {
        assert.equal(headers['content-md5'], base64('md5'))
        assert.match(String(headers.authorization), /SignedHeaders=[^,]*content-md5/)
        continue
      }
      assert.equal(headers['x-amz-content-sha256'], sha256(body))
      assert.equal(headers['x-amz-checksum-sha256'], base64('sha256'))
    }
  })

  test('is accessed with role credentials that are renewed before they expire', async (t) => {
    const front = await through(t, {
      answered: (answer, { body }) => {
        if (!String(body).includes('Action=AssumeRole')) return
        const soon = new Date(Date.now() + 120_000).toISOString()
        const text = String(answer.body).replace(/<Expiration>[^<]*/, `<Expiration>${soon}`)
        answer.body = Buffer.from(text)
      },
    })
    const open = await session(t, { endpoint: front.endpoint })
    const assumed = () => front.asked.filter(({ body }) => String(body).includes('AssumeRole')).length
    const atFirst = assumed()
    await open.deliver(getItem('in/renew/a', randomBytes(100)))
    await open.deliver(getItem('in/renew/b', randomBytes(100)))
    assert.ok(assumed() >= atFirst + 2, `${assumed()} times`)
  })

  test('shows an object only when it is complete and drops uploads of a killed worker', async (t) => {
    const path = 'in/d/r.bin'
    await bank.begin(path)
    // An upload of another object whose name begins alike: another process may be using it.
    await bank.begin(`${path}.other`)
    const content = randomBytes(LARGE)
    const whole = getItem(path, content)
    let seen: string[] | undefined
    const watched = async function* () {
      yield* whole.open()
      seen = (await bank.keys()).filter((key) => key.startsWith('in/d/'))
    }
    const open = await session(t)
    await open.deliver({ ...whole, open: watched })
    assert.deepEqual(seen, [])
    assert.ok((await bank.read(path)).equals(content))
    assert.deepEqual(await bank.uploads(), [`${path}.other`])
    // Without the permission to list them the delivery still works.
    await bank.begin(path)
    await (await session(t, as('PutOnly'))).deliver(whole)
  })

  const PUT = (path: string) => (asked: AskedOfS3) => asked.method === 'PUT' && asked.path.includes(path)

  test('rejects content that was altered in transit', async (t) => {
    for (const size of [1000, LARGE]) {
      const isIt = PUT(`in/tampered/${size}`)
      const front = await through(t, {
        asked: (asked) => {
          if (!isIt(asked)) return undefined
          const other = Buffer.from(asked.body)
          other[3] = (other[3] ?? 0) ^ 1
          return other
        },
      })
      const open = await session(t, { endpoint: front.endpoint, ...as('PutOnly') })
      await refuses(open.deliver(getItem(`in/tampered/${size}`, randomBytes(size))), 'target_differs')
    }
    assert.ok(!(await bank.keys()).some((key) => key.startsWith('in/tampered')))
  })

  test('is checked after delivery by length, ETag and content', async (t) => {
    const size = 1000
    const damages: [string, RegExp, Uint8Array, boolean][] = [
      ['shorter', /length/, randomBytes(size - 1), true],
      ['tagged', /ETag/, randomBytes(size), true],
      // The object of a server without ETag is read back.
      ['read', /read back/, randomBytes(size), false],
    ]
    for (const [name, detail, found, hasTag] of damages) {
      const key = `in/lies/${name}`
      const isIt = PUT(key)
      const front = await through(t, {
        asked: async ({ method, path }) => {
          if (method === 'HEAD' && path.includes(key)) await bank.write(key, Buffer.from(found))
          return undefined
        },
        answered: (answer, asked) => {
          if (!hasTag && isIt(asked)) delete answer.headers['etag']
        },
      })
      const open = await session(t, { endpoint: front.endpoint })
      await refuses(open.deliver(getItem(key, randomBytes(size))), 'target_differs', detail)
    }
  })

  test('is checked by its stored checksums without reading objects back', async (t) => {
    for (const [name, isDamaged] of [
      ['kept', false],
      ['damaged', true],
    ] as const) {
      const digests: Buffer[] = []
      const front = await through(t, {
        asked: ({ method, headers, path }) => {
          if (method !== 'PUT') return undefined
          const part = Number(new URL(path, 'http://x').searchParams.get('partNumber') ?? 1)
          digests[part - 1] = Buffer.from(String(headers['x-amz-checksum-sha256']), 'base64')
          return undefined
        },
        // Like AWS; this server ignores them.
        answered: (answer, { method, headers, path }) => {
          if (method === 'POST' && path.endsWith('?uploads'))
            answer.headers['x-amz-checksum-algorithm'] = 'SHA256'
          if (method !== 'HEAD') return
          assert.equal(headers['x-amz-checksum-mode'], 'ENABLED')
          const first = digests[0] ?? Buffer.alloc(0)
          const all = createHash('sha256').update(Buffer.concat(digests)).digest('base64')
          const kept = digests.length === 1 ? first.toString('base64') : `${all}-${digests.length}`
          const other = `${kept.startsWith('A') ? 'B' : 'A'}${kept.slice(1)}`
          answer.headers['x-amz-checksum-sha256'] = isDamaged ? other : kept
        },
      })
      const open = await session(t, { endpoint: front.endpoint })
      for (const size of isDamaged ? [1000] : [1000, LARGE]) {
        digests.length = 0
        const work = open.deliver(getItem(`in/sums/${name}/${size}`, randomBytes(size)))
        await (isDamaged ? refuses(work, 'target_differs', /checksum/) : work)
      }
      const reads = front.asked.filter(({ method, path }) => method === 'GET' && !path.includes('uploads'))
      assert.deepEqual(reads, [])
    }
  })

  test('is read back only when its ETag is not the MD5 of its content', async (t) => {
    for (const [name, sizes, reads] of [
      ['md5', [1000, LARGE], 0],
      ['other', [1000], 1],
    ] as const) {
      const front = await through(t, {
        // As of an object that AWS encrypts with a key of the customer.
        answered: ({ headers }, { path }) => {
          if (path.includes('in/etag/other') && headers['etag']) headers['etag'] = '"not-an-md5"'
        },
      })
      const open = await session(t, { endpoint: front.endpoint })
      for (const size of sizes) await open.deliver(getItem(`in/etag/${name}/${size}`, randomBytes(size)))
      const isRead = ({ method, path }: AskedOfS3) => method === 'GET' && !path.includes('uploads')
      assert.equal(front.asked.filter(isRead).length, reads, name)
    }
  })

  test('reports why a delivery fails', async (t) => {
    const open = await session(t)
    const small = (path: string) => getItem(path, randomBytes(10))
    await refuses(open.deliver(small('out/a')), 'permission_denied')
    await refuses(open.deliver(getItem('out/a', randomBytes(LARGE))), 'permission_denied')
    await refuses((await session(t, { bucket: 'no-such-bucket' })).deliver(small('in/a')), 'no_such_folder')
    await refuses(session(t, as('Stranger')), 'auth_refused', /role\/Stranger cannot be assumed/)
    await refuses(session(t, { role_arn: roleArn('PutOnly').replace('Put', 'Not') }), 'auth_refused')
    const identity = { access_key_id: server.accessKeyId, secret_access_key: 'another' }
    await refuses(session(t, { identity }), 'auth_refused')
    await refuses(session(t, { endpoint: 'http://127.0.0.1:1' }), 'unreachable')
    const elsewhere = await through(t, {
      answered: (answer, { method }) => {
        if (method !== 'PUT') return
        answer.status = 301
        answer.body = Buffer.from('<Error><Code>PermanentRedirect</Code></Error>')
      },
    })
    const wrong = await session(t, { endpoint: elsewhere.endpoint })
    await refuses(wrong.deliver(small('in/a')), 'refused', /is not in eu-west-1/)
    const breaking = await through(t, {
      asked: ({ method }) => {
        if (method === 'PUT') throw new Error('cut')
        return undefined
      },
    })
    const cut = await session(t, { endpoint: breaking.endpoint })
    await refuses(cut.deliver(small('in/a')), 'connection_lost')
  })

  test('times out when it does not respond', async (t) => {
    const silent = await hangingServer()
    t.after(() => silent.stop())
    const patience = { connect: 500, silence: 500 }
    await refuses(session(t, { endpoint: silent.endpoint }, { patience }), 'timeout')
  })
})

describe('connections to AWS', () => {
  const target: S3Target = {
    kind: 'S3',
    bucket: 'bank-records',
    region: 'eu-west-1',
    role_arn: roleArn('Deliver'),
    external_id: 'custodia-x',
    endpoint: undefined,
    identity: { access_key_id: 'AK', secret_access_key: 'SK' },
  }

  test('go through the egress guard', async () => {
    const asked: string[] = []
    const inside = makeEgress({
      resolve: async (host) => {
        asked.push(host)
        return ['10.0.0.1']
      },
    })
    await refuses(s3Session(target, inside), 'host_unknown')
    assert.deepEqual([...new Set(asked)], ['sts.eu-west-1.amazonaws.com'])
    const nowhere = makeEgress({ resolve: () => Promise.reject(new Error('no such name')) })
    await refuses(s3Session(target, nowhere), 'host_unknown')
    for (const endpoint of ['http://127.0.0.1:7480', 'https://10.0.0.1', 'http://s3.example'])
      await refuses(s3Session({ ...target, endpoint }, inside), 'address_forbidden')
  })
})

interface AskedOfS3 {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}
interface AnswerOfS3 {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A proxy in front of a real S3 server: it records requests, and may change a request body or an answer. */
async function between(
  endpoint: string,
  hooks: {
    /** Returns a changed request body; undefined: unchanged. Throws to break the connection. */
    asked?: (asked: AskedOfS3) => Buffer | undefined | Promise<Buffer | undefined>
    answered?: (answer: AnswerOfS3, asked: AskedOfS3) => void
  } = {},
) {
  const target = new URL(endpoint)
  const asked: AskedOfS3[] = []
  const server = createServer((incoming, outgoing) => {
    const pass = async () => {
      const body = Buffer.concat(await incoming.toArray())
      const { method = '', url: path = '', headers } = incoming
      const one = { method, path, headers, body }
      asked.push(one)
      const sent = (await hooks.asked?.(one)) ?? body
      const forward = request({ host: target.hostname, port: target.port, method, path, headers })
      forward.end(sent)
      const [reply] = (await once(forward, 'response')) as [typeof incoming]
      const answer = {
        status: reply.statusCode ?? 0,
        headers: reply.headers,
        body: Buffer.concat(await reply.toArray()),
      }
      hooks.answered?.(answer, one)
      if (method !== 'HEAD') answer.headers['content-length'] = String(answer.body.length)
      delete answer.headers['transfer-encoding']
      outgoing.writeHead(answer.status, answer.headers)
      outgoing.end(answer.body)
    }
    pass().catch(() => outgoing.destroy())
  })
  // Requests each body with 100 Continue, for which the SDK waits.
  server.on('checkContinue', (incoming, outgoing) => {
    outgoing.writeContinue()
    delete incoming.headers.expect
    server.emit('request', incoming, outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
