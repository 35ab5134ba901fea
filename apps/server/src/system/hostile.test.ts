import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, test } from 'node:test'
import { PROBLEMS } from '@custodia/contract'
import { returnAddress } from '../ports/identity/embedded.ts'
import { openSession } from '../testing/alert-fixture.ts'
import { LONG, getSeed } from '../testing/long.ts'
import { knownPhone } from '../testing/phones.ts'
import { seeded } from '../testing/require-part.ts'
import { testServer } from '../testing/server.ts'
import { hostileRequests } from './hostile-calls.test-support.ts'
import { everyCall } from './matrix/calls.test-support.ts'

// Every call of the table with hostile input: the answer is a clear 4xx, never a 5xx.

const server = await testServer()
after(() => server.close())
const session = (user_reference: string, roles = ['Account Administrator']) =>
  openSession(server.ctx, { client: 'acme', user_reference, roles })

test('rejects bodies that are not JSON, too large or of another type', async () => {
  const send = (content: string, type: string) =>
    fetch(`${server.url}/device/v1/authenticate`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: content,
    })
  assert.equal((await send('{', 'application/json')).status, 400)
  assert.equal((await send('x=1', 'application/x-www-form-urlencoded')).status, 415)
  // Announced, not sent: a refused body may end the connection before the answer is read.
  const headers = { 'content-type': 'application/json', 'content-length': 40 * 1024 * 1024 }
  const large = request(`${server.url}/device/v1/authenticate`, { method: 'POST', headers })
  large.flushHeaders()
  const [answer] = (await once(large, 'response')) as [IncomingMessage]
  assert.equal(answer.statusCode, 413)
  large.destroy()
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

/** Names of properties that every JavaScript object inherits. */
const INHERITED = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf', '__defineGetter__']

test('refuses JavaScript property names as actions, logs a valid action, and serves other clients', async () => {
  const gina = await openSession(server.ctx, {
    client: 'globex',
    user_reference: 'gina',
    roles: ['Compliance Reviewer'],
  })
  const get = async (path: string, token: string) =>
    (await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } })).status
  for (const [user_reference, roles, status] of [
    ['no roles', [], 403],
    ['manager', ['Compliance Manager'], 400],
  ] as const) {
    const token = await session(user_reference, [...roles])
    const path = `/client/v1/api/data?client=acme&payload_references[0]=${'0'.repeat(26)}`
    const [answers, others] = await Promise.all([
      Promise.all(INHERITED.map((key) => get(`${path}&action=${key}`, token))),
      Promise.all(INHERITED.map(() => get('/client/v1/api/payloads?client=globex', gina))),
    ])
    assert.deepEqual([new Set(answers), new Set(others)], [new Set([status]), new Set([200])])
    const entries = await server.sql<{ action: string; status_code: number; parameters: string }>(
      'select action, status_code, parameters from portal_activities where user_reference = $1',
      [user_reference],
    )
    assert.ok(entries.every(({ action }) => /^payloads:(play|download)$/.test(action)))
    assert.deepEqual(
      entries
        .map(({ parameters }) => (JSON.parse(parameters) as { query: { action: string } }).query.action)
        .toSorted(),
      INHERITED.toSorted(),
    )
  }
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
  // An item of the sign-in has nearly 600 characters without the state.
  for (const [length, items] of [
    [3400, 1],
    [3600, 1],
    [14_000, 1],
  ] as const) {
    const query = new URLSearchParams({ ...asked, client: 'acme', state: 'x'.repeat(length) })
    await (await fetch(`${server.url}/oidc/auth?${query}`, { redirect: 'manual' })).text()
    const stored = await server.sql('select from oidc_items')
    assert.equal(stored.length, items, `a state of ${length} characters`)
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
    // A payload's reference may be any word but this.
    ['GET', '/client/v1/api/payloads/search', 'POST'],
    ['DELETE', '/client/v1/api/payloads/search', 'POST'],
  ] as const) {
    const response = await fetch(`${server.url}${path}`, { method })
    assert.deepEqual([response.status, response.headers.get('allow')], [405, allow], path)
    assert.equal(((await response.json()) as { code: string }).code, 'method_not_allowed')
  }
})

test('reports an invalid client in path and query as one error', async () => {
  const token = await session('alice')
  const response = await fetch(`${server.url}/admin/v1/api/A!/groups?client=A!`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { errors } = (await response.json()) as { errors: { path: string }[] }
  assert.deepEqual(
    errors.map(({ path }) => path),
    ['client'],
  )
})

/** Times that each call is sent. */
const ROUNDS = LONG ? 20 : 1

// The last test: some calls are valid, and may suspend a client.
test('answers almost valid calls of every kind of caller without a server error', async () => {
  const { ctx } = server
  const { tokenAt } = await knownPhone(ctx, 'acme', 'hostile phone')
  const bearers = {
    person: await session('mallory'),
    provider: await openSession(ctx, {
      client: 'admin',
      user_reference: 'oscar',
      roles: ['Provider Administrator'],
    }),
    phone: await tokenAt(ctx.now()),
  }
  const calls = everyCall().length
  const next = hostileRequests(seeded(getSeed(7)), () => bearers)
  const statuses: Record<number, number> = {}
  for (let i = 0; i < ROUNDS * calls; i++) {
    const { method, path, headers, body } = next()
    const response = await fetch(server.url + path, {
      method,
      headers,
      body: body ?? null,
      redirect: 'manual',
    })
    const text = await response.text()
    const what = () => `${response.status} ${method} ${path} ${JSON.stringify({ headers, body })} ${text}`
    assert.ok(response.status < 500, what())
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
    if (response.status < 400 || path.startsWith('/oidc/')) continue
    const problem = JSON.parse(text) as {
      error_code: number
      message: string
      code: string
      request_id: string
    }
    assert.equal(problem.error_code, response.status)
    assert.ok(problem.code in PROBLEMS && problem.message && problem.request_id, what())
  }
  // Some get through, otherwise only authentication was tested.
  assert.ok((statuses[200] ?? 0) > 8 && (statuses[400] ?? 0) > 50, JSON.stringify(statuses))
})
