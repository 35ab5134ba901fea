import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { RESERVED_GROUP } from '@custodia/contract'
import type { ApiProblem } from '@custodia/client'
import { openDatabase } from '../ports/database/pool.ts'
import { migrate } from '../ports/database/migrate.ts'
import { type AccessFixture, accessFixture, allow, codeOf, problemOf } from '../testing/access-fixture.ts'
import { emptyDatabase } from '../testing/database.ts'

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

test('the upgrade creates one reserved group per client, also when its name is taken', async () => {
  const database = await emptyDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'custodia-upgrade-'))
  const migrations = join(import.meta.dirname, '../../migrations')
  const upTo = (name: string) => {
    for (const file of readdirSync(migrations))
      if (file < name) copyFileSync(join(migrations, file), join(folder, file))
    return migrate({ connection: database.connection, folder })
  }
  try {
    await upTo('0021')
    const db = await openDatabase({ connection: database.connection, appName: 'upgrade test', max: 2 })
    try {
      await db.owner.query(`
        insert into clients (client, client_name, account_key, created_at) values ('a', 'A', '', 0), ('b', 'B', '', 0);
        insert into groups (client_id, group_reference, updated_at, updated_by)
        values (1, '${RESERVED_GROUP}', 0, 't'), (1, '${RESERVED_GROUP} 2', 0, 't')`)
      await upTo('0022')
      const { rows } = await db.owner.query(
        'select client_id, group_reference, is_reserved from groups order by client_id, group_reference',
      )
      assert.deepEqual(
        rows.map((row) => Object.values(row)),
        [
          [1, RESERVED_GROUP, false],
          [1, `${RESERVED_GROUP} 2`, false],
          [1, `${RESERVED_GROUP} 3`, true],
          [2, RESERVED_GROUP, true],
        ],
      )
    } finally {
      await db.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await database.drop()
  }
})
