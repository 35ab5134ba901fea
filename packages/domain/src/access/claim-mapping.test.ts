import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ClaimMapping, type ClaimRule, DEFAULT_CLAIM_MAPPING } from '@custodia/contract'
import { applyMapping, type ClaimValues, getGrant } from './claim-mapping.ts'

const rule = (value: string, roles: string[], groups: string[] = [], all_groups = false): ClaimRule => ({
  value,
  roles,
  groups,
  all_groups,
})
const mapped: ClaimMapping = {
  ...DEFAULT_CLAIM_MAPPING,
  accepts_names: false,
  missing_groups: 'none',
  rules: [
    rule('/compliance/north', ['Compliance Reviewer'], ['North']),
    rule('/compliance/south', ['Compliance Reviewer'], ['South']),
    rule('/audit', ['Auditor'], [], true),
    rule('manager', ['Compliance Manager']),
  ],
}
const getRights = (values: ClaimValues, mapping = mapped) => {
  const { roles, groups } = applyMapping(mapping, values, undefined)
  return { roles: roles.map(({ role }) => role), groups }
}

describe('a claim mapping', () => {
  it('gives the roles and groups of every value that has a rule, and nothing for others', () => {
    const values = { groups: ['/compliance/north', '/compliance/south', '/canteen', 'Account Administrator'] }
    assert.deepEqual(applyMapping(mapped, values, undefined), {
      roles: [{ role: 'Compliance Reviewer', source: 'mapping', value: '/compliance/north' }],
      groups: ['North', 'South'],
      user_group: null,
      unused: ['/canteen', 'Account Administrator'],
    })
    assert.deepEqual(getRights({ groups: ['/audit', '/compliance/north'] }), {
      roles: ['Auditor', 'Compliance Reviewer'],
      groups: null,
    })
  })

  it('confines a person whose groups claim is missing, unless the mapping says otherwise', () => {
    assert.deepEqual(getRights({ roles: ['manager'] }), { roles: ['Compliance Manager'], groups: [] })
    assert.equal(getRights({ roles: ['manager'] }, { ...mapped, missing_groups: 'all' }).groups, null)
    assert.deepEqual(
      getRights({ roles: ['manager'], groups: [] }, { ...mapped, missing_groups: 'all' }).groups,
      [],
    )
    assert.deepEqual(getRights({ groups: ['North'] }).groups, [], 'a name that is not accepted')
  })

  it('fills in the default role where claims give none', () => {
    const defaults = { role: 'Auditor', user_group: 'Desk', default_for_empty_roles: false }
    const given = (values: ClaimValues, empty = false) =>
      applyMapping(mapped, values, { ...defaults, default_for_empty_roles: empty }).roles
    assert.deepEqual(given({}), [{ role: 'Auditor', source: 'default', value: null }])
    assert.deepEqual(given({ roles: ['/canteen'] }), [])
    assert.equal(given({ roles: ['/canteen'] }, true)[0]?.source, 'default')
    assert.equal(given({ groups: ['/audit'] })[0]?.source, 'mapping')
  })

  it('grants what its new rules give, and everything that it holds after any other change', () => {
    const more = { ...mapped, rules: [...mapped.rules, rule('/root', ['Account Administrator'])] }
    assert.deepEqual(getGrant(mapped, more), {
      any_role: false,
      assigned_roles: false,
      roles: ['Account Administrator'],
    })
    assert.deepEqual(getGrant(mapped, { ...mapped, display_name: 'displayName' }).roles, [])
    const moved = getGrant(mapped, { ...mapped, roles: 'realm_access.roles' })
    assert.deepEqual(moved.roles, ['Compliance Reviewer', 'Auditor', 'Compliance Manager'])
    assert.equal(getGrant(mapped, { ...mapped, accepts_names: true }).any_role, true)
    assert.equal(getGrant(more, mapped).roles.length, 3, 'without a rule a value may name a role or a group')
    const opened = { ...mapped, rules: [...mapped.rules, rule('/everyone', [], [], true)] }
    assert.equal(getGrant(mapped, opened).roles.length, 3, 'who is confined now no longer is')
    const wider = mapped.rules.map((each) => ({ ...each, all_groups: true }))
    assert.equal(getGrant(mapped, { ...mapped, rules: wider }).roles.length, 3)
  })
})
