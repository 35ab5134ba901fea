import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { makeClient } from './client.ts'
import { ApiProblem, ResponseShapeError } from './errors.ts'
import { flattenQuery } from './query.ts'
import { describeShapeFailure } from './shape-failure.ts'
import { shareCalls } from './share-calls.ts'

const DASHBOARD = {
  last_visit_at: null,
  devices: { activated: 1, pending: 0, deactivated: 0, legacyActivated: 0, legacyDeactivated: 0 },
  device_users: { onboarded: 1, offboarded: 0, legacyOnboarded: 0, legacyOffboarded: 0 },
  app_versions: [],
  os_versions: [],
  open_steps: null,
  waiting_devices: 0,
  waiting_proposals: null,
  waiting_destructions: null,
  data_requests: null,
  capture_gaps: null,
  faults: null,
  silences: { silent: 0, long_silent: 0, silent_but_alive: 0 },
}

async function withServer<T>(listener: RequestListener, use: (baseUrl: string) => Promise<T>): Promise<T> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
  }
}

const signedIn = (baseUrl: string, more: { support_reference?: string } = {}) =>
  makeClient({ baseUrl, client: () => 'acme', credentials: async () => ({ token: 't', ...more }) })

describe('the API client', () => {
  test('fills in path, client and token', async () => {
    let seen: string[] = []
    const listener: RequestListener = (request, response) => {
      seen = [request.url ?? '', request.headers.authorization ?? '']
      response.end(JSON.stringify(DASHBOARD))
    }
    await withServer(listener, (baseUrl) => signedIn(baseUrl).readDashboard({}))
    assert.deepEqual(seen, ['/admin/v1/api/acme/dashboard?client=acme', 'Bearer t'])
  })

  test('marks calls in support mode', async () => {
    let authorization: string | undefined
    const listener: RequestListener = (request, response) => {
      authorization = request.headers.authorization
      response.end(JSON.stringify(DASHBOARD))
    }
    await withServer(listener, (baseUrl) => signedIn(baseUrl, { support_reference: 'R' }).readDashboard({}))
    assert.equal(authorization, 'Support R:t')
  })

  test('sends the version to replace, or requires that none exists', async () => {
    const seen: (string | undefined)[][] = []
    const listener: RequestListener = (request, response) => {
      seen.push([request.headers['if-match'], request.headers['if-none-match']])
      response.end('{}')
    }
    await withServer(listener, async (baseUrl) => {
      const client = signedIn(baseUrl)
      const deletion = { params: { group_reference: 'North' }, query: {} }
      await client.deleteGroup(deletion, { if_match: 'a1' })
      await client.deleteGroup(deletion, { if_none_match: true })
      await client.deleteGroup(deletion, { if_match: undefined })
    })
    assert.deepEqual(seen, [
      ['"a1"', undefined],
      [undefined, '*'],
      [undefined, undefined],
    ])
  })

  test('reports successful calls and no failed ones', async () => {
    const heard: string[] = []
    let status = 200
    const listener: RequestListener = (_request, response) => {
      response.writeHead(status).end(JSON.stringify(DASHBOARD))
    }
    await withServer(listener, async (baseUrl) => {
      const client = makeClient({
        baseUrl,
        client: () => 'acme',
        credentials: async () => ({ token: 't' }),
        onSuccess: (call) => void heard.push(call),
      })
      await client.readDashboard({})
      status = 403
      await assert.rejects(client.readDashboard({}), ApiProblem)
    })
    assert.deepEqual(heard, ['readDashboard'])
  })
  test('reports a problem before throwing it', async () => {
    const heard: (string | undefined)[] = []
    const listener: RequestListener = (_request, response) => {
      response.writeHead(403).end(JSON.stringify({ code: 'support_mode_ended', message: 'over' }))
    }
    await withServer(listener, async (baseUrl) => {
      const client = makeClient({
        baseUrl,
        client: () => 'acme',
        credentials: async () => ({ token: 't', support_reference: 'R' }),
        onProblem: ({ code }) => void heard.push(code),
      })
      await assert.rejects(client.readDashboard({}), ApiProblem)
    })
    assert.deepEqual(heard, ['support_mode_ended'])
  })

  test('retries a read once on 503 and never a write', async () => {
    let calls = 0
    const listener: RequestListener = (_request, response) => {
      calls++
      response.writeHead(503).end('{}')
    }
    await withServer(listener, async (baseUrl) => {
      await assert.rejects(signedIn(baseUrl).readDashboard({}), ApiProblem)
      assert.equal(calls, 2)
      await assert.rejects(signedIn(baseUrl).acceptTerms({ body: { version: '1' } }), ApiProblem)
      assert.equal(calls, 3)
    })
  })

  test('rejects a response of another shape and quotes 200 characters', async () => {
    const listener: RequestListener = (_request, response) => {
      response.end(JSON.stringify({ ...DASHBOARD, devices: 'x'.repeat(500) }))
    }
    await withServer(listener, async (baseUrl) => {
      await assert.rejects(signedIn(baseUrl).readDashboard({}), (error: Error) => {
        assert.ok(error instanceof ResponseShapeError)
        assert.match(error.message, /^readDashboard: devices: /)
        assert.equal(error.message.split('. JSON: ')[1]?.length, 200)
        return true
      })
    })
  })

  test('reports a missing token without calling the server', async () => {
    let expired = 0
    const client = makeClient({
      baseUrl: 'http://127.0.0.1:1',
      client: () => 'acme',
      credentials: async () => undefined,
      onAuthenticationExpired: () => expired++,
    })
    await assert.rejects(client.readDashboard({}), ApiProblem)
    assert.equal(expired, 1)
  })
})

test('a shape failure has the wording of the specification', () => {
  const fault = { path: 'a.b', code: 'required' as const, message: "The 'b' field is required." }
  assert.equal(
    describeShapeFailure('P', [fault, { ...fault, path: 'c' }], { x: 1 }),
    'P a.b: required\nc: required. JSON: {"x":1}',
  )
  assert.equal(describeShapeFailure('P', [], [1]), 'P Unexpected data received. JSON: [1]')
})

test('queries are flattened to bracket keys', () => {
  const flat = flattenQuery({
    types: ['Call', 'SMS'],
    filter: { from: 'x' },
    none: undefined,
    no: null,
    limit: 5,
  })
  assert.equal(decodeURIComponent(flat.toString()), 'types[0]=Call&types[1]=SMS&filter[from]=x&limit=5')
})

test('calls within the window share one request, later ones do not', async () => {
  let at = 0
  let calls = 0
  const shared = shareCalls(
    async () => ++calls,
    1000,
    () => at,
  )
  assert.deepEqual(await Promise.all([shared(), shared()]), [1, 1])
  at = 999
  assert.equal(await shared(), 1)
  at = 1000
  assert.equal(await shared(), 2)
})
