import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { makeClientOf } from '@custodia/client'
import { sessionEndpoints } from '@custodia/contract'
import { PRELOAD_FACTS } from '../../build/preload-script.ts'
import { ACTIONS_KEY, SESSION_KEY } from './kept-session.ts'
import { fetchPreloaded, preloadSession } from './preload-session.ts'
import { refreshTokens } from './refresh-tokens.ts'

/** Requests to the server, in order. */
let asked: string[] = []
/** Answers without pending body parts. */
let readToTheEnd = 0
const before = {
  fetch: globalThis.fetch,
  location: globalThis.location,
  localStorage: globalThis.localStorage,
}

const answer = async (address: unknown, request?: RequestInit): Promise<Response> => {
  const authorization = new Headers(request?.headers).get('authorization')
  asked.push([String(address), ...(authorization === null ? [] : [authorization])].join(' '))
  const text = new TextEncoder().encode(
    JSON.stringify({ id_token: `token ${asked.length}`, expires_in: 300 }),
  )
  // A body that arrives as the reader consumes it.
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(text)
        controller.close()
        readToTheEnd++
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

/** Loads the page at this address with this session in the browser. */
function open(pathname: string, kept: string | undefined, actions?: string, search = ''): void {
  Object.assign(globalThis, {
    custodiaPreload: undefined,
    fetch: answer,
    location: { pathname, search },
    localStorage: {
      getItem: (key: string) => ({ [SESSION_KEY]: kept, [ACTIONS_KEY]: actions })[key] ?? null,
    },
  })
  // As in the page: only the function's text is available.
  const exclusively = new Function(`return ${preloadSession}`)() as typeof preloadSession
  exclusively(PRELOAD_FACTS)
}

/** Reads the profile as the portal does. */
const getProfile = (
  client: string | undefined,
  authorization: { token: string; support_reference?: string },
) =>
  makeClientOf(sessionEndpoints, {
    baseUrl: '',
    client: () => client,
    credentials: async () => authorization,
    fetch: fetchPreloaded,
  })
    .readProfile({})
    // Only the request counts here, not the answer.
    .catch(() => undefined)

const settled = () => new Promise((resolve) => setTimeout(resolve))

beforeEach(() => {
  asked = []
  readToTheEnd = 0
})
afterEach(() => Object.assign(globalThis, before, { custodiaPreload: undefined }))

test('the portal uses each preloaded response once and then asks the server again', async () => {
  open('/pt-BR/dashboard/services/calls', '{"client":"acme","handle":"a handle"}')
  await settled()
  assert.equal(asked.length, 2)
  assert.deepEqual(await refreshTokens('a handle', 'acme'), { id_token: 'token 1', expires_in: 300 })
  await getProfile('acme', { token: 'token 1' })
  const both = [...asked]
  assert.equal(both.length, 2, 'nothing was asked twice')
  await refreshTokens('a handle', 'acme')
  await getProfile('acme', { token: 'token 1' })
  assert.deepEqual(asked, [...both, ...both], 'and the same is asked without it')
})

test('no request is sent twice when the portal reads the token before the preload does', async () => {
  // The page reads its own copy of the refresh and may finish after the portal.
  const clone = Response.prototype.clone
  Response.prototype.clone = function (this: Response) {
    const copy = clone.call(this)
    const json = copy.json.bind(copy)
    copy.json = async () => {
      const read = (await json()) as unknown
      await new Promise((resolve) => setTimeout(resolve, 20))
      return read
    }
    return copy
  }
  try {
    open('/dashboard', '{"client":"acme","handle":"h"}')
    await refreshTokens('h', 'acme')
    await getProfile('acme', { token: 'token 1' })
    // Pending requests of the page.
    await new Promise((resolve) => setTimeout(resolve, 60))
    assert.equal(asked.length, 2, asked.join('\n'))
  } finally {
    Response.prototype.clone = clone
  }
})

test('the preload matches the portal’s requests in support mode and for provider staff', async () => {
  open('/dashboard', '{"client":"acme","handle":"h","support":"REF"}')
  await settled()
  await refreshTokens('h', 'admin')
  await getProfile('acme', { token: 'token 1', support_reference: 'REF' })
  assert.equal(asked.length, 2)
  asked = []
  open('/internal/support', '{"client":"admin","handle":"h"}')
  await settled()
  await refreshTokens('h', 'admin')
  await getProfile(undefined, { token: 'token 1' })
  assert.equal(asked.length, 2)
})

test('the portal ignores a preloaded response of another token or an old one', async () => {
  open('/dashboard', '{"client":"acme","handle":"h"}')
  await settled()
  await getProfile('acme', { token: 'another' })
  assert.equal(asked.length, 3)
  open('/dashboard', '{"client":"acme","handle":"h"}')
  await settled()
  if (globalThis.custodiaPreload) globalThis.custodiaPreload.renewed_at = Date.now() - 60_000
  await refreshTokens('h', 'acme')
  assert.equal(asked.length, 6)
})

test('an unused preloaded response is read to its end so that the connection closes', async () => {
  open('/dashboard', '{"client":"acme","handle":"h"}')
  await settled()
  assert.deepEqual([asked.length, readToTheEnd], [2, 2])
})

test('the preload requests the first rows only for a permitted list without filters', async () => {
  const kept = '{"client":"acme","handle":"h"}'
  const may = JSON.stringify({ session: kept, actions: ['payloads:list'] })
  const page = '/dashboard/services/calls'
  for (const [path, actions, search] of [
    [page, undefined, ''],
    [page, JSON.stringify({ session: 'another', actions: ['payloads:list'] }), ''],
    [page, JSON.stringify({ session: kept, actions: ['dashboard:read'] }), ''],
    [page, may, '?states=Processed'],
    [`${page}/01K`, may, ''],
  ] as const) {
    asked = []
    open(path, kept, actions, search)
    await settled()
    assert.equal(asked.length, 2, `${path}${search} ${actions}`)
  }
  asked = []
  open(page, kept, may)
  await settled()
  assert.equal(
    asked[2],
    '/client/v1/api/payloads?client=acme&include%5B0%5D=receipt&include%5B1%5D=mark&include%5B2%5D=heard&include%5B3%5D=held&service=calls&limit=100 Bearer token 1',
    asked.join('\n'),
  )
  asked = []
  const reads = JSON.stringify({ session: kept, actions: ['payloads:read'] })
  open(`/pt-BR${page}/06TSQQW03XBJSY8MN9EHHSMFBD`, kept, reads)
  await settled()
  assert.equal(asked[2], '/client/v1/api/payloads/06TSQQW03XBJSY8MN9EHHSMFBD?client=acme Bearer token 1')
})

test('the sign-in page asks for the people of a demo, also after a session', async () => {
  open('/pt-BR/sign-in', '{"client":"acme","handle":"h"}')
  await settled()
  assert.deepEqual(asked, ['/admin/v1/internal/demo_people'])
})

test('the preload sends nothing on other pages or without a valid session', async () => {
  open('/privacy', '{"client":"acme","handle":"h"}')
  open('/dashboards', '{"client":"acme","handle":"h"}')
  for (const kept of [undefined, 'signed_out', '{', '{}', 'null', '{"client":1,"handle":"h"}'])
    open('/dashboard', kept)
  await settled()
  assert.deepEqual(asked, [])
})
