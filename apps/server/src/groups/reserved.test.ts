import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { RESERVED_GROUP } from '@custodia/contract'
import type { ApiProblem } from '@custodia/client'
import { type AccessFixture, accessFixture, allow, codeOf, problemOf } from '../testing/access-fixture.ts'

let fixture: AccessFixture
before(async () => {
  fixture = await accessFixture()
})
after(() => fixture?.close())

test('the reserved group cannot be read, changed, deleted or assigned', async () => {
  const { alice } = fixture
  const params = { group_reference: RESERVED_GROUP }
  const listed = await alice.api.listGroups({ query: {} })
  assert.ok(
    'data' in listed && listed.data.every(({ group_reference }) => group_reference !== RESERVED_GROUP),
  )
  assert.equal(await codeOf(alice.api.readGroup({ params })), 'not_found')
  assert.equal(await codeOf(alice.api.deleteGroup({ params, query: {} })), 'not_found')
  const problem = await problemOf(alice.api.saveGroup({ params, query: {}, body: { tags: [] } }))
  assert.deepEqual([problem.code, problem.faults[0]?.code], ['invalid_input', 'group_reserved'])
  const { faults } = await problemOf(
    alice.api.saveAccountDefaults({
      query: {},
      body: { user_group: RESERVED_GROUP, role: null, cidr_ranges: [], contact: null },
    }),
  )
  assert.equal(faults[0]?.path, 'user_group')
  const person = await problemOf(
    alice.api.createDeviceUser({
      params: { device_user_reference: 'nobody' },
      query: {},
      body: {
        group: RESERVED_GROUP,
        services: [],
        expected_device_count: 1,
        email: null,
        first_name: null,
        surname: null,
        is_active: true,
      },
    }),
  )
  assert.equal(person.faults[0]?.path, 'group')
})

test('required tags do not apply to the reserved group', async () => {
  const { alice } = fixture
  await alice.api.saveTag({
    params: { tag_key: 'everywhere' },
    query: { force_update: true },
    body: { tag_values: null, is_required: true, default_value: 'yes' },
  })
  const tagged = await fixture.sql(
    `select g.is_reserved from groups g join group_tags using (client_id, group_id) where tag_key = 'everywhere'`,
  )
  assert.ok(tagged.length > 0 && tagged.every(({ is_reserved }) => is_reserved === false))
})

test('devices in the reserved group are visible only to permissions without conditions', async () => {
  await fixture.sql(`insert into devices (client_id, device_reference, group_id, updated_at, updated_by)
    select client_id, 'waits', group_id, 1, 'test' from groups join clients using (client_id) where client = 'acme' and is_reserved`)
  const sees = async (conditions?: object[]) => {
    const permission = { ...allow('devices:list', 'devices:read'), ...(conditions ? { conditions } : {}) }
    await fixture.giveRole('Watcher', [permission])
    const carol = await fixture.personWith(['Watcher'])
    return carol.api.readDevice({ params: { device_reference: 'waits' } }).then(
      ({ group }) => group,
      (error: ApiProblem) => error.code,
    )
  }
  assert.equal(await sees(), RESERVED_GROUP)
  assert.equal(await sees([{ names_matching: ['*'] }]), 'not_found')
  assert.equal(await sees([{ names_matching: ['North'], is_denied: true }]), 'not_found')
})
