import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { makeClient } from '@custodia/client'
import type { Permission } from '@custodia/contract'
import { readConfig } from '../config.ts'
import { allow, getCode, openPerson, roleInput } from '../testing/access-fixture.ts'
import { testServer } from '../testing/server.ts'
import { startInProcess } from '../testing/start-in-process.ts'
import { FAST_DATABASE } from '../testing/test-context.ts'

const first = await testServer()
const { config, db } = first.ctx
const shared = {
  CUSTODIA_DATA: config.dataDir,
  DATABASE_URL: db.connection,
  LOG_LEVEL: 'fatal',
  PORT: '0',
  // Both accept the same tokens.
  PUBLIC_URL: first.url,
  ...FAST_DATABASE,
}
const second = await startInProcess(readConfig(shared, ['--services=api']), {
  portalFolder: `${config.dataDir}/no-portal`,
  isSeeded: true,
})
const alice = await openPerson(first, 'acme', 'alice')
const carol = await openPerson(first, 'acme', 'carol', { roles: ['Lister'] })
/** Carol at each of the servers. */
const everywhere = [first.url, second.url].map((baseUrl) =>
  makeClient({ baseUrl, client: () => 'acme', credentials: async () => ({ token: carol.id_token }) }),
)

describe('access rights at two servers on one database', () => {
  after(async () => {
    await second?.stop()
    await first?.close()
  })

  const saveRole = (permissions: Permission[]) =>
    alice.api.saveRole({ params: { role_reference: 'Lister' }, body: roleInput(permissions) })
  const seen = () =>
    Promise.all(
      everywhere.map(async (api) => {
        const answer = await api.listGroups({})
        return answer.data.map(({ group_reference }) => group_reference)
      }),
    )
  const both = <T>(value: T): T[] => [value, value]

  it('apply changes of roles, groups, tags and networks from the next request', async () => {
    const byTag = { keys_matching: ['region'], values_matching: ['North', 'Centre'] }
    await saveRole([{ actions_matching: ['groups:list'], conditions: [byTag] }])
    assert.deepEqual(await seen(), both(['North']))

    await alice.api.saveGroup({
      params: { group_reference: 'Newcomer' },
      body: { tags: [{ key: 'region', value: 'North' }] },
    })
    assert.deepEqual(await seen(), both(['Newcomer', 'North']))

    await alice.api.saveGroup({ params: { group_reference: 'North' }, body: { tags: [] } })
    assert.deepEqual(await seen(), both(['Newcomer']))

    await alice.api.saveTag({
      params: { tag_key: 'region' },
      query: { force_update: true },
      body: { tag_values: ['Centre', 'South'], is_required: true, default_value: 'Centre' },
    })
    assert.deepEqual(
      await seen(),
      both(['Newcomer', 'North', 'Private Banking', 'Trading Desk', 'Unassigned']),
    )

    await alice.api.deleteGroup({ params: { group_reference: 'Newcomer' } })
    assert.deepEqual(await seen(), both(['North', 'Private Banking', 'Trading Desk', 'Unassigned']))

    await saveRole([allow('profile:read')])
    for (const api of everywhere) assert.equal(await getCode(api.listGroups({})), 'not_permitted')

    await saveRole([allow('groups:list')])
    assert.equal((await seen())[1]?.length, 5)
    await alice.api.deleteRole({ params: { role_reference: 'Lister' } })
    for (const api of everywhere) assert.equal(await getCode(api.listGroups({})), 'not_permitted')

    await alice.api.saveAccountDefaults({
      query: { confirm_lockout: true },
      body: { user_group: 'North', role: null, cidr_ranges: ['10/8'] },
    })
    for (const api of everywhere) assert.equal(await getCode(api.readProfile({})), 'network_not_permitted')
  })
})
