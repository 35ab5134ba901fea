import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { api, type Endpoint, fullPath, PROBLEMS } from '@custodia/contract'
import fc from 'fast-check'
import { knownPhone } from '../testing/phones.ts'
import { seeded } from '../testing/require-part.ts'
import { returnAddress } from '../ports/identity/embedded.ts'
import { openPerson, type Person } from '../testing/access-fixture.ts'
import { type TestServer, testServer } from '../testing/server.ts'
import { openSession } from '../testing/alert-fixture.ts'
import { hostileRequests } from './hostile-calls.test-support.ts'
import { LONG } from '../testing/long.ts'

// Every call of the table with hostile input: the answer is a clear 4xx, never a 5xx.

let server: TestServer
let alice: Person
before(async () => {
  server = await testServer()
  alice = await openPerson(server, 'acme', 'alice')
})
after(() => server.close())

const nasty = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '%00',
    '../../etc/passwd',
    "' or 1=1 --",
    '{{7*7}}',
    '__proto__',
    'null',
    'NaN',
    '-1',
    '1e309',
    '99999999999999999999',
    '\ud800',
    '🙂'.repeat(300),
    '<script>alert(1)</script>',
    'a'.repeat(5000),
    '2026-02-30',
    '%',
    '%E0%A4%A',
  ),
  fc.string({ unit: 'binary', maxLength: 300 }),
)
const keys = fc.constantFrom(
  'client',
  'type',
  'limit',
  'last_key',
  'from',
  'to',
  'groups[0]',
  'payload_types[]',
  'number',
  'service',
  'states[a][b]',
  'x',
  'payload_references[0]',
  'action',
  'code',
  '__proto__[x]',
)
const query = fc.array(fc.tuple(keys, nasty), { maxLength: 6 })
const body = fc.oneof(
  fc.jsonValue(),
  fc.constant({ payloads: [{}] }),
  fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue(), { maxKeys: 5 }),
)

const rows = (Object.entries(api) as [string, Endpoint][]).filter(([name]) => name !== 'signOut')

for (const [name, endpoint] of rows) {
  test(`${name} answers hostile input without a server error`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(nasty, { minLength: 4, maxLength: 4 }),
        query,
        body,
        fc.boolean(),
        async (values, pairs, content, isSignedIn) => {
          let at = 0
          const path = fullPath(endpoint).replace(/\{(\w+)\}/g, (_, key: string) =>
            key === 'client' && values[0]?.length !== 1
              ? 'acme'
              : safeEncode(values[at++ % values.length] ?? 'x'),
          )
          const search = pairs
            .map(([key, value]) => `${encodeURIComponent(key)}=${safeEncode(value)}`)
            .join('&')
          const response = await fetch(`${server.url}${path}?${search}`, {
            method: endpoint.method,
            redirect: 'manual',
            headers: {
              ...(isSignedIn ? { authorization: `Bearer ${alice.id_token}` } : {}),
              ...(endpoint.method === 'GET' ? {} : { 'content-type': 'application/json' }),
            },
            ...(endpoint.method === 'GET' || endpoint.method === 'DELETE'
              ? {}
              : { body: JSON.stringify(content) }),
          })
          const text = await response.text()
          assert.ok(response.status < 500, `${response.status} ${text.slice(0, 300)}`)
          if (response.status >= 400) {
            const problem = JSON.parse(text) as {
              error_code: number
              message: string
              code: string
              request_id: string
            }
            assert.equal(problem.error_code, response.status)
            assert.ok(problem.code in PROBLEMS, problem.code)
            assert.ok(problem.message.length > 0 && problem.request_id.length > 0)
          }
        },
      ),
      { numRuns: LONG ? 40 : 12 },
    )
  })
}

function safeEncode(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : '%ED%A0%80'
}

test('rejects bodies that are not JSON, too large or of another type', async () => {
  const send = (content: string | Uint8Array<ArrayBuffer>, type: string) =>
    fetch(`${server.url}/device/v1/authenticate`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: content,
    })
  assert.equal((await send('{', 'application/json')).status, 400)
  assert.equal((await send('x=1', 'application/x-www-form-urlencoded')).status, 415)
  assert.equal((await send(new Uint8Array(40 * 1024 * 1024), 'application/json')).status, 413)
})

test('answers unknown API paths with a JSON 404', async () => {
  for (const path of [
    '/client/v1/api/nothing',
    '/device/v1/%2e%2e/x',
    '/client/v2/api/payloads',
    '/device/v10',
    '/admin/v2',
  ]) {
    const response = await fetch(`${server.url}${path}`)
    assert.equal(response.status, 404, path)
    assert.equal(((await response.json()) as { code: string }).code, 'not_found')
  }
})

test('answers almost valid calls of every kind of caller without a server error', async () => {
  const { ctx } = server
  const { tokenAt } = await knownPhone(ctx, 'acme', 'hostile phone')
  const bearers = {
    person: await openSession(ctx, {
      client: 'acme',
      user_reference: 'mallory',
      roles: ['Account Administrator'],
    }),
    provider: await openSession(ctx, {
      client: 'admin',
      user_reference: 'oscar',
      roles: ['Provider Administrator'],
    }),
    phone: await tokenAt(ctx.now()),
  }
  const next = hostileRequests(seeded(7), () => bearers)
  const statuses: Record<number, number> = {}
  for (let i = 0; i < 600; i++) {
    const { method, path, headers, body } = next()
    const response = await fetch(server.url + path, {
      method,
      headers,
      body: body ?? null,
      redirect: 'manual',
    })
    const text = await response.text()
    assert.ok(
      response.status < 500,
      `${response.status} ${method} ${path} ${JSON.stringify({ headers, body })} ${text}`,
    )
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
  }
  // Some get through, otherwise only authentication was tested.
  assert.ok((statuses[200] ?? 0) > 8 && (statuses[400] ?? 0) > 50, JSON.stringify(statuses))
})

test('rejects tokens with invalid claims and invalid clients with 401', async () => {
  const jwt = (claims: object) =>
    ['{"alg":"RS256"}', JSON.stringify(claims), 'x']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.')
  const tokens = ['a.b.c', jwt({ iss: 'a\u0000b', aud: 'custodia' }), jwt({ iss: 'a', aud: ['a\ud800b'] })]
  for (const token of tokens)
    for (const path of [
      '/admin/v1/api/a%00b/groups',
      '/client/v1/api/payloads?client=a%00b',
      '/client/v1/api/payloads?client=acme',
      '/client/v1/api/payloads?client[]=a%00b',
    ]) {
      const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } })
      assert.equal(response.status, 401, `${path} ${token}`)
    }
})

test('the embedded identity provider answers unstorable values without a server error', async () => {
  const asked = {
    client_id: 'portal',
    response_type: 'code',
    scope: 'openid',
    redirect_uri: returnAddress(server.url),
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  }
  for (const key of ['client_id', 'state', 'nonce', 'login_hint']) {
    const query = new URLSearchParams({ ...asked, [key]: 'a\0b' })
    const response = await fetch(`${server.url}/oidc/auth?${query}`, { redirect: 'manual' })
    assert.ok(response.status < 500, `${response.status} ${query}`)
  }
  for (const path of [
    'auth/a%00b',
    'auth/x?client_id=portal&redirect_uri=',
    'interaction/a%00b',
    'token',
    'userinfo',
  ]) {
    const response = await fetch(`${server.url}/oidc/${path}`, {
      method: path === 'token' ? 'POST' : 'GET',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Bearer a%00b' },
      ...(path === 'token'
        ? { body: 'grant_type=refresh_token&refresh_token=a%00b&client_id=a%00b&client_secret=x' }
        : {}),
      redirect: 'manual',
    })
    assert.ok(response.status < 500, `${response.status} ${path}`)
  }
})

test('lists the allowed methods of a known path in a 405 answer', async () => {
  for (const [method, path, allow] of [
    ['DELETE', '/client/v1/api/payloads', 'GET, HEAD'],
    ['POST', '/admin/v1/api/acme/groups/North', 'DELETE, GET, HEAD, PUT'],
  ] as const) {
    const response = await fetch(`${server.url}${path}`, { method })
    assert.deepEqual([response.status, response.headers.get('allow')], [405, allow], path)
    assert.equal(((await response.json()) as { code: string }).code, 'method_not_allowed')
  }
})

test('reports an invalid client in path and query as one error', async () => {
  const token = await openSession(server.ctx, {
    client: 'acme',
    user_reference: 'alice',
    roles: ['Account Administrator'],
  })
  const response = await fetch(`${server.url}/admin/v1/api/A!/groups?client=A!`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { errors } = (await response.json()) as { errors: { path: string }[] }
  assert.deepEqual(
    errors.map(({ path }) => path),
    ['client'],
  )
})
