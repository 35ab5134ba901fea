import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ingestFixture } from '../testing/ingest-fixture.ts'
import { provisionClient } from './provision.ts'

const fixture = await ingestFixture()
after(() => fixture.close())

test('provisioning a client twice changes nothing and returns the same key', async () => {
  const request = {
    client: 'acme',
    client_name: 'Another name',
    is_provider: true,
    groups: [{ group_reference: 'North', tags: [{ key: 'desk', value: 'FX' }] }],
    tags: [{ tag_key: 'desk', tag_values: ['FX'], is_required: true, default_value: 'FX' }],
    default_group: 'North',
    device_users: [],
  }
  const tables = [
    'clients',
    'client_keys',
    'groups',
    'group_tags',
    'account_defaults',
    'tag_definitions',
    'device_users',
  ]
  const everything = async () =>
    Promise.all(tables.map((table) => fixture.sql(`select * from ${table} as t order by t::text`)))
  const before = await everything()
  const { client_id, account_key } = await provisionClient(fixture.ctx, request)
  assert.deepEqual(await everything(), before)
  assert.deepEqual({ client_id, account_key }, fixture.accounts.acme)
})
