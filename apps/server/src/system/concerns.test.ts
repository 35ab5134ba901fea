import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { api, type Endpoint, type EndpointName } from '@custodia/contract'
import { type Call, everyCall } from './matrix/calls.test-support.ts'
import { openSession } from '../testing/alert-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'

const EVERYTHING_IN_NORTH = {
  description: '',
  permissions: [{ actions_matching: ['*'], conditions: [{ names_matching: ['North'] }] }],
  payload_types: [],
  cidr_ranges: [],
  alert_permissions: { ops_read: true, ops_write: true, sec_read: true, sec_write: true },
  is_alertable: false,
  is_system: false,
}

const rowOf = (name: string): Endpoint => api[name as EndpointName]

/** Calls that require a right, on the client's own objects. */
const calls = everyCall().filter(({ name, target }) => target === 'own' && !rowOf(name).before_terms)

describe('a role with all actions in one group', () => {
  let server: TestServer
  const tokens = new Map<string, string>()
  before(async () => {
    server = await testServer()
    for (const client of ['acme', 'admin']) {
      await server.sql(
        `insert into roles select client_id, 'North alone', $2, 0, 'test' from clients where client = $1`,
        [client, { ...EVERYTHING_IN_NORTH, role_reference: 'North alone' }],
      )
      const person = { client, user_reference: 'nora', roles: ['North alone'] }
      tokens.set(client, await openSession(server.ctx, person))
    }
  })
  after(() => server?.close())

  /** The problem code of an otherwise valid call. */
  async function codeOf({ name, method, url, body }: Call): Promise<string | undefined> {
    const client = rowOf(name).portal === 'internal' ? 'admin' : 'acme'
    const response = await server.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${tokens.get(client)}` },
      ...(body === undefined ? {} : { payload: body as object }),
    })
    return response.json<{ code?: string }>().code
  }

  it('permits no call that concerns the whole account', async () => {
    const account = calls.filter(({ name }) => rowOf(name).concerns === 'account')
    assert.ok(account.some(({ name }) => rowOf(name).portal === 'internal'))
    for (const call of account) assert.equal(await codeOf(call), 'not_permitted', call.name)
  })

  it('permits reads that concern groups', async () => {
    for (const call of calls)
      if (rowOf(call.name).concerns === 'groups' && call.method === 'GET')
        assert.notEqual(await codeOf(call), 'not_permitted', call.name)
  })
})
