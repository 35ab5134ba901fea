import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { api, type Endpoint, fullPath } from '@custodia/contract'
import { openSession } from '../testing/session.ts'
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

/** Rows that ask for a right. */
const rows = (Object.entries(api) as [string, Endpoint][]).filter(
  ([, { authentication, before_terms }]) => authentication === 'portal' && !before_terms,
)

describe('somebody who has all actions in one group', () => {
  let server: TestServer
  const tokens = new Map<string, string>()
  before(async () => {
    server = await testServer()
    for (const client of ['acme', 'admin']) {
      await server.house.db.owner.query(
        `insert into roles select client_id, 'North alone', $2, 0, 'test' from clients where client = $1`,
        [client, { ...EVERYTHING_IN_NORTH, role_reference: 'North alone' }],
      )
      const person = { client, user_reference: 'nora', roles: ['North alone'] }
      tokens.set(client, await openSession(server.house, person))
    }
  })
  after(() => server?.close())

  /** The code of the answer to a call without any input. Rights are asked for before anything is read. */
  async function codeOf(endpoint: Endpoint): Promise<string | undefined> {
    const client = endpoint.portal === 'internal' ? 'admin' : 'acme'
    const path = fullPath(endpoint).replace(/\{(\w+)\}/g, (_, name) => (name === 'client' ? client : 'x'))
    const response = await fetch(`${server.url}${path}`, {
      method: endpoint.method,
      headers: { authorization: `Bearer ${tokens.get(client)}` },
    })
    return ((await response.json()) as { code?: string }).code
  }

  it('may call nothing that concerns the account, theirs or a client’s', async () => {
    for (const [name, endpoint] of rows)
      if (endpoint.concerns === 'account') assert.equal(await codeOf(endpoint), 'not_permitted', name)
  })

  it('may call what concerns groups', async () => {
    for (const [name, endpoint] of rows)
      if (endpoint.concerns === 'groups' && name !== 'confirmReceipts')
        assert.notEqual(await codeOf(endpoint), 'not_permitted', name)
  })
})
