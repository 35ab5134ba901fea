import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import type { Role } from '@custodia/contract'
import { SYSTEM_ROLES } from '@custodia/domain'
import { openPerson, type Person } from '../testing/access-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { paged } from '../testing/test-context.ts'

const OWN: Role = {
  role_reference: 'Desk Head',
  description: 'Listens to calls of the Trading Floor',
  permissions: [{ actions_matching: ['payloads:list'] }],
  payload_types: ['Call'],
  cidr_ranges: [],
  alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
  is_alertable: false,
  is_system: false,
}

describe('the list of roles', () => {
  let server: TestServer
  let alice: Person
  before(async () => {
    server = await testServer()
    await addRole('acme', OWN)
    await addRole('globex', { ...OWN, role_reference: 'Of Globex' })
    alice = await openPerson(server, 'acme', 'alice')
  })
  after(() => server?.close())

  const expected = [...SYSTEM_ROLES.map(({ role_reference }) => role_reference), 'Desk Head'].toSorted()
  const list = async (query: Parameters<Person['api']['listRoles']>[0]['query']) => {
    const answer = await alice.api.listRoles({ query })
    assert.ok('data' in answer)
    return answer
  }

  it('contains the system roles and those of the client, but none of other clients', async () => {
    const { data, count, last_key } = await list({})
    assert.deepEqual(
      data.map(({ role_reference }) => role_reference),
      expected,
    )
    assert.deepEqual([count, last_key], [expected.length, undefined])
    const { client, version, updated_at, updated_by, ...own } = data.find(({ is_system }) => !is_system) ?? {}
    assert.deepEqual([own, client, updated_at, updated_by], [OWN, 'acme', 0, 'test'])
    assert.match(version ?? '', /^[0-9a-f]{16}$/)
    assert.equal(data.find(({ is_system }) => is_system)?.updated_by, null)
    assert.deepEqual(await alice.api.listRoles({ query: { type: 'total' } }), { total: expected.length })
  })

  it('can be filtered by name, description, origin and alert option', async () => {
    const names = async (query: Parameters<typeof list>[0]) =>
      (await list(query)).data.map(({ role_reference }) => role_reference)
    assert.deepEqual(await names({ search: 'DESK' }), ['Desk Head'])
    assert.deepEqual(await names({ is_system: false }), ['Desk Head'])
    assert.deepEqual(await names({ search: 'trading FLOOR' }), ['Desk Head'])
    const [first] = SYSTEM_ROLES.toSorted((a, b) => a.role_reference.localeCompare(b.role_reference))
    assert.ok(
      (await names({ search: (first?.description ?? '').toUpperCase() })).includes(
        first?.role_reference ?? '',
      ),
    )
    assert.deepEqual(await alice.api.listRoles({ query: { type: 'total', search: 'trading floor' } }), {
      total: 1,
    })
    assert.deepEqual(await names({ is_alertable: true }), ['Support Content'])
    assert.deepEqual(await alice.api.listRoles({ query: { type: 'total', is_system: true } }), {
      total: SYSTEM_ROLES.length,
    })
  })

  it('returns each role once, page by page', async () => {
    const pages = await paged((from) => list({ limit: 4, ...from }))
    assert.ok(pages.every(({ count }) => count <= 4))
    const walked = pages.flatMap(({ data }) => data.map(({ role_reference }) => role_reference))
    assert.deepEqual(walked, expected)
  })

  it('shows each change and its author with the next request', async () => {
    const params = { role_reference: 'Passing' }
    const { role_reference: _reference, is_system: _system, ...body } = OWN
    const found = async () => (await list({ search: 'passing' })).data
    for (const description of ['the first', 'the second']) {
      const saved = await alice.api.saveRole({ params, body: { ...body, description }, query: {} })
      assert.deepEqual(await found(), [saved])
      assert.deepEqual(await alice.api.readRole({ params, query: {} }), saved)
      assert.equal(saved.updated_by, 'alice')
    }
    await alice.api.deleteRole({ params, query: {} })
    assert.deepEqual(await found(), [])
    assert.deepEqual(await alice.api.listRoles({ query: { type: 'total', search: 'passing' } }), { total: 0 })
  })

  it('is refused for reviewers and for users without a role', async () => {
    for (const name of ['bob', 'carol']) {
      const { api } = await openPerson(server, 'acme', name)
      await assert.rejects(
        api.listRoles({ query: {} }),
        (error) => error instanceof ApiProblem && error.status === 403,
        name,
      )
    }
  })

  async function addRole(client: string, role: Role): Promise<void> {
    await server.sql(`insert into roles select client_id, $2, $3, 0, 'test' from clients where client = $1`, [
      client,
      role.role_reference,
      role,
    ])
  }
})
