import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import type { Group } from '@custodia/contract'
import { openPerson, type Person } from '../testing/access-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'

const ALL = ['North', 'Private Banking', 'South', 'Trading Desk', 'Unassigned']

describe('the list of groups', () => {
  let server: TestServer
  let alice: Person
  let bob: Person
  before(async () => {
    server = await testServer()
    alice = await openPerson(server, 'acme', 'alice')
    bob = await openPerson(server, 'acme', 'bob')
  })
  after(() => server?.close())

  const list = async ({ api }: Person, query: Parameters<Person['api']['listGroups']>[0]['query'] = {}) => {
    const answer = await api.listGroups({ query })
    assert.ok('data' in answer)
    return answer
  }
  const names = (groups: readonly Group[]) => groups.map(({ group_reference }) => group_reference)

  it('shows the groups that the caller may see, in order and with tags', async () => {
    const { count, data, last_key } = await list(alice)
    assert.deepEqual([names(data), count, last_key], [ALL, ALL.length, undefined])
    assert.deepEqual(data[0]?.tags, [{ key: 'region', value: 'North' }])
    assert.deepEqual(data[4]?.tags, [])
    assert.deepEqual(names((await list(bob)).data), ['North'])
    const gina = await openPerson(server, 'globex', 'gina')
    assert.deepEqual(names((await list(gina)).data), ['Back Office', 'Brokers'])
  })

  it('counts only the groups that the caller may see', async () => {
    assert.deepEqual(await alice.api.listGroups({ query: { type: 'total' } }), { total: ALL.length })
    assert.deepEqual(await bob.api.listGroups({ query: { type: 'total' } }), { total: 1 })
    assert.deepEqual(await alice.api.listGroups({ query: { type: 'total', search: 'th' } }), { total: 2 })
  })

  it('finds a part of the name in any case, as text and not as a pattern', async () => {
    assert.deepEqual(names((await list(alice, { search: 'TH' })).data), ['North', 'South'])
    for (const search of ['%', '_', 'N.*', '\\'])
      assert.deepEqual((await list(alice, { search })).data, [], search)
    assert.deepEqual((await list(bob, { search: 'South' })).data, [], 'a search does not widen the reach')
  })

  it('finds a part of a tag key or tag value', async () => {
    const north = { search: 'NORT' }
    await server.sql(
      `insert into group_tags select client_id, group_id, 'Side', 'far north' from groups where group_reference = 'South'`,
    )
    assert.deepEqual(names((await list(alice, north)).data), ['North', 'South'])
    assert.deepEqual(names((await list(alice, { search: 'sid' })).data), ['South'])
    assert.deepEqual(await alice.api.listGroups({ query: { type: 'total', ...north } }), { total: 2 })
    assert.deepEqual(names((await list(bob, north)).data), ['North'], 'a search does not widen the reach')
    assert.deepEqual((await list(alice, { search: 'Sidefar' })).data, [])
  })

  it('lists each group once across pages', async () => {
    const walked: string[] = []
    let last_key: string | undefined
    let pages = 0
    do {
      const page = await list(alice, { limit: 2, ...(last_key ? { last_key } : {}) })
      walked.push(...names(page.data))
      last_key = page.last_key
      pages++
    } while (last_key)
    assert.deepEqual([walked, pages], [ALL, 3])
  })

  it('rejects a page key of another search or another client', async () => {
    const { last_key = '' } = await list(alice, { limit: 2 })
    const gina = await openPerson(server, 'globex', 'gina')
    for (const call of [() => list(alice, { last_key, search: 'o' }), () => list(gina, { last_key })])
      await assert.rejects(call(), (error) => error instanceof ApiProblem && error.code === 'invalid_cursor')
  })
})
