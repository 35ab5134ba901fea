import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { PATTERN_LIMITS, type Role } from '@custodia/contract'
import { SYSTEM_ROLES } from '@custodia/domain'
import {
  accessFixture,
  allow,
  getCode,
  type Person,
  getProblem,
  read,
  remove,
  review,
  roleInput,
  save,
} from '../testing/access-fixture.ts'

const fixture = await accessFixture()
after(() => fixture.close())

describe('the role API', () => {
  it('stores normalised patterns and networks, and the author', async () => {
    const saved = await save(
      fixture.alice,
      'Médicos',
      roleInput(
        [{ actions_matching: ['payloads:list'], conditions: [{ names_matching: ['Cafe\u0301*'] }] }],
        {
          cidr_ranges: ['10/8', '10.0.0.0/8', '192.168.1.7/24'],
          description: 'Desk',
          payload_types: ['SMS'],
        },
      ),
    )
    assert.deepEqual(saved.permissions[0]?.conditions, [{ names_matching: ['Café*'] }])
    assert.deepEqual(saved.cidr_ranges, ['10.0.0.0/8', '192.168.1.0/24'])
    assert.equal(saved.updated_by, 'alice')
    assert.ok(Math.abs((saved.updated_at ?? 0) - Date.now() / 1000) < 60)
    assert.equal(saved.is_system, false)
    assert.deepEqual(await read(fixture.alice, 'Médicos'), saved)
  })

  it('rejects the name of the portal page that creates roles', async () => {
    const { code, faults } = await getProblem(
      save(fixture.alice, 'create', roleInput([allow('profile:read')])),
    )
    assert.deepEqual(
      [code, faults.map((each) => [each.path, each.code])],
      ['invalid_input', [['role_reference', 'name_of_a_page']]],
    )
    assert.equal(await getCode(read(fixture.alice, 'create')), 'not_found')
    await save(fixture.alice, 'Create', roleInput([allow('profile:read')]))
    await remove(fixture.alice, 'Create')
  })

  it('returns the version as an ETag, and rejects a stale version', async () => {
    const first = await save(
      fixture.alice,
      'Twice',
      roleInput([allow('profile:read')]),
      {},
      { if_none_match: true },
    )
    const answer = await fixture.alice.fetch('/admin/v1/api/acme/roles/Twice', {
      headers: { authorization: `Bearer ${fixture.alice.id_token}` },
    })
    assert.equal(answer.headers.get('etag'), `"${first.version}"`)
    const { version } = first
    const second = await save(
      fixture.alice,
      'Twice',
      roleInput([allow('profile:*')]),
      {},
      { if_match: version },
    )
    assert.notEqual(second.version, version)
    const late = save(fixture.alice, 'Twice', roleInput([allow('roles:list')]), {}, { if_match: version })
    assert.equal((await getProblem(late)).status, 412)
    const again = save(fixture.alice, 'Twice', roleInput([allow('roles:list')]), {}, { if_none_match: true })
    assert.equal(await getCode(again), 'already_exists')
    assert.equal(await getCode(remove(fixture.alice, 'Twice', { if_match: version })), 'changed_meanwhile')
    assert.deepEqual(await read(fixture.alice, 'Twice'), second)
    assert.deepEqual(await remove(fixture.alice, 'Twice', { if_match: second.version }), {})
    assert.equal(await getCode(read(fixture.alice, 'Twice')), 'not_found')
  })

  it('accepts one of several concurrent saves', async () => {
    const { version } = await save(fixture.alice, 'Raced', roleInput([allow('profile:read')]))
    const outcomes = await Promise.allSettled(
      ['roles:list', 'roles:read', 'tags:list', 'tags:read'].map((action) =>
        save(fixture.alice, 'Raced', roleInput([allow(action)]), {}, { if_match: version }),
      ),
    )
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  })

  it('rejects the problems that the review reports, at the same paths', async () => {
    const bad = roleInput([
      {
        is_regex: true,
        actions_matching: ['payloads:(list', '(a{20}){30}'],
        conditions: [{ is_regex: true, keys_matching: ['[z-a]'] }],
      },
    ])
    const { problems } = await review(fixture.alice, 'Bad', bad)
    assert.deepEqual(
      problems.map(({ path, code }) => [path, code]),
      [
        ['permissions.0.actions_matching.0', 'pattern_invalid'],
        ['permissions.0.actions_matching.1', 'pattern_too_complex'],
        ['permissions.0.conditions.0.keys_matching.0', 'pattern_invalid'],
      ],
    )
    const { code, faults } = await getProblem(save(fixture.alice, 'Bad', bad))
    assert.equal(code, 'invalid_input')
    assert.deepEqual(faults, problems)
    assert.equal(await getCode(read(fixture.alice, 'Bad')), 'not_found')
  })

  it('limits patterns to 128 characters and 50 per permission, and rejects invalid networks', async () => {
    const of = (length: number) => roleInput([allow('a'.repeat(length))])
    await save(fixture.alice, 'Edge', of(128))
    assert.equal(await getCode(save(fixture.alice, 'Edge', of(129))), 'invalid_input')
    const many = (n: number) =>
      roleInput([
        {
          actions_matching: ['payloads:list'],
          conditions: [{ names_matching: Array.from({ length: n - 1 }, (_, i) => `Group ${i}`) }],
        },
      ])
    await save(fixture.alice, 'Edge', many(50))
    assert.equal(await getCode(save(fixture.alice, 'Edge', many(51))), 'invalid_input')
    for (const range of ['10/33', '999.1/9', '010.0.0.0/8'])
      assert.equal(
        await getCode(save(fixture.alice, 'Edge', roleInput([allow('a')], { cidr_ranges: [range] }))),
        'invalid_input',
        range,
      )
  })

  it('limits the patterns of a whole role, but evaluates larger roles that are already stored', async () => {
    const { per_list, per_role } = PATTERN_LIMITS
    const full = Array.from({ length: per_role / per_list }, () => ({
      actions_matching: Array.from({ length: per_list }, () => 'groups:list'),
    }))
    const large = roleInput([...full, allow('payloads:list')])
    assert.deepEqual(
      (await getProblem(save(fixture.alice, 'Large', large))).faults?.map(({ path, code }) => [path, code]),
      [['permissions', 'too_many_patterns_in_role']],
    )
    await save(fixture.alice, 'Large', roleInput(full))
    await fixture.sql(
      `update roles set document = jsonb_set(document::jsonb, '{permissions}', $1::jsonb)::json where role_reference = 'Large'`,
      [JSON.stringify(large.permissions)],
    )
    await fixture.sql(`update clients set access_epoch = access_epoch + 1 where client = 'acme'`)
    const holder = await fixture.personWith(['Large'])
    assert.ok('data' in (await holder.api.listPayloads({})), 'what lies beyond the bound counts')
    const stored = await read(fixture.alice, 'Large')
    assert.equal(stored.permissions.length, large.permissions.length)
    const { problems } = await review(fixture.alice, 'Large', large)
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['too_many_patterns_in_role'],
    )
    assert.equal(await getCode(save(fixture.alice, 'Large', large)), 'invalid_input')
    await save(fixture.alice, 'Large', roleInput(full))
  })

  it('rejects changes of system roles, and names that look like them', async () => {
    for (const name of ['Account Administrator', 'Provider Administrator']) {
      assert.equal(await getCode(save(fixture.alice, name, roleInput([allow('*')]))), 'system_role')
      assert.equal(await getCode(remove(fixture.alice, name)), 'system_role')
      assert.equal(
        await getCode(save(fixture.alice, name.toUpperCase(), roleInput([allow('*')]))),
        'system_role',
      )
    }
    for (const name of ['Аuditor', 'Audit0r', 'Auditor.', 'Support  Content', 'Ｓupport Metadata'])
      assert.equal(await getCode(save(fixture.alice, name, roleInput([allow('a')]))), 'system_role', name)
    assert.equal((await read(fixture.alice, 'Auditor')).is_system, true)
    assert.equal(await getCode(read(fixture.alice, 'Provider Support')), 'not_found')
  })
})

describe('role deletion', () => {
  beforeEach(() => save(fixture.alice, 'Named', roleInput([allow('profile:read')])))
  const uses: [string, string, string][] = [
    ['the defaults', `update account_defaults set role = 'Named'`, `update account_defaults set role = null`],
    [
      'a client app',
      `insert into client_apps (client_id, app_reference, issuer, audience, jwks_uri, roles, updated_at, updated_by)
       select client_id, 'app', 'https://i', 'a', 'https://j', '{Named}', 0, 'test' from clients where client = 'acme'`,
      'delete from client_apps',
    ],
    [
      'a pending support request',
      `insert into support_access (client_id, request_reference, role, request_description, requested_expiry, requested_by,
         requested_at, updated_at, updated_by)
       select client_id, 'r', 'Named', '', 9999999999, 'erin', 0, 0, 'erin' from clients where client = 'acme'`,
      `update support_access set approval_state = 'rejected'`,
    ],
  ]
  for (const [name, use, release] of uses) {
    it(`is refused while the role is used by ${name}`, async () => {
      await fixture.sql(use)
      assert.equal((await getProblem(remove(fixture.alice, 'Named'))).code, 'in_use')
      await fixture.sql(release)
      assert.deepEqual(await remove(fixture.alice, 'Named'), {})
    })
  }
})

const OWN: Role = {
  role_reference: 'Desk Head',
  description: 'Listens to calls of the Trading Floor',
  ...roleInput([{ actions_matching: ['payloads:list'] }], { payload_types: ['Call'] }),
  is_system: false,
}

describe('the list of roles', () => {
  before(async () => {
    await fixture.sql('delete from roles')
    await addRole('acme', OWN)
    await addRole('globex', { ...OWN, role_reference: 'Of Globex' })
    await fixture.sql('update clients set access_epoch = access_epoch + 1')
  })

  const expected = [...SYSTEM_ROLES.map(({ role_reference }) => role_reference), 'Desk Head'].toSorted()
  const list = async (query: Parameters<Person['api']['listRoles']>[0]['query']) => {
    const answer = await fixture.alice.api.listRoles({ query })
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
    assert.deepEqual(await fixture.alice.api.listRoles({ query: { type: 'total' } }), {
      total: expected.length,
    })
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
    assert.deepEqual(
      await fixture.alice.api.listRoles({ query: { type: 'total', search: 'trading floor' } }),
      { total: 1 },
    )
    assert.deepEqual(await names({ is_alertable: true }), ['Support Content'])
    assert.deepEqual(await fixture.alice.api.listRoles({ query: { type: 'total', is_system: true } }), {
      total: SYSTEM_ROLES.length,
    })
  })

  async function addRole(client: string, role: Role): Promise<void> {
    await fixture.sql(
      `insert into roles select client_id, $2, $3, 0, 'test' from clients where client = $1`,
      [client, role.role_reference, role],
    )
  }
})
