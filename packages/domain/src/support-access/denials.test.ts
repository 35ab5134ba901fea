import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { actionsOf, api } from '@custodia/contract'
import type { Endpoint, Role } from '@custodia/contract'
import { checkRole } from '../access/check-role.ts'
import { compileRole } from '../access/compile-role.ts'
import { evaluate } from '../access/evaluate.ts'
import type { Access } from '../access/evaluate.ts'
import { groupUniverse } from '../access/group-universe.ts'
import { actionsFor, SYSTEM_ROLES } from '../access/system-roles.ts'
import { SUPPORT_MODE_DENIALS } from './denials.ts'

/** Actions of the endpoint table, and those of calls still to come that staff must never make. */
const ACTIONS = actionsFor({ is_provider: false }, [
  ...new Set([
    ...(Object.values(api) as Endpoint[]).flatMap(actionsOf),
    'account.retention:read',
    'account.retention:update',
    'account.legal_holds:list',
    'account.legal_holds:update',
    'account.legal_holds:delete',
    'receipts:confirm',
    'profile.terms:accept',
    'session:sign_out',
    'alerts:list',
    'alerts:clear',
    'payloads:play',
    'devices:list',
  ]),
])
const READS = ['list', 'read', 'review']
const PROTECTED =
  /^(roles|groups|tags|account\.(defaults|apps|retention|legal_holds|legal_matters|proposals|two_people)):/

function inSupportMode(approved: Pick<Role, 'role_reference' | 'permissions'>): {
  as: Access
  alone: Access
} {
  const universe = groupUniverse([{ group_id: 1, group_reference: 'North', tags: [] }])
  const rules = { ...SUPPORT_MODE_DENIALS, ...approved }
  const [role, denials] = [rules, SUPPORT_MODE_DENIALS].map((each) => compileRole(each, universe, ACTIONS))
  assert.ok(role && denials)
  const person = { ip: '10.0.0.1' }
  return {
    alone: evaluate({ ...person, roles: [role] }, { networks: 'any' }),
    as: evaluate({ ...person, roles: [role, denials] }, { networks: 'any' }),
  }
}

const everything = { role_reference: 'Everything', permissions: [{ actions_matching: ['*'] }] }

describe('support mode', () => {
  it('has denials that are a valid role and grant nothing', () => {
    assert.deepEqual(checkRole(SUPPORT_MODE_DENIALS, ACTIONS).problems, [])
    assert.ok(SUPPORT_MODE_DENIALS.permissions.every((permission) => permission.is_denied))
  })
  it('never permits changes to rights, evidence or its own supervision', () => {
    const { as } = inSupportMode(everything)
    const never = ACTIONS.filter(
      (action) =>
        (PROTECTED.test(action) && !READS.includes(action.split(':')[1] ?? '')) ||
        /^(supportaccess|access|receipts|session|profile\.[^:]*)[.:]/.test(action) ||
        action.startsWith('account.data_requests:') ||
        action === 'alerts:clear',
    )
    assert.ok(never.length > 20, `only ${never.length} actions`)
    for (const action of never) {
      assert.equal(as.may(action), false, action)
      assert.equal(as.permits(action, { group_id: 1 }), false, action)
    }
  })
  for (const role of [...SYSTEM_ROLES, everything]) {
    it(`keeps the read actions of ${role.role_reference}`, () => {
      const { as, alone } = inSupportMode(role)
      const lost = alone.actions().filter((action) => !as.may(action))
      for (const action of lost) {
        const [noun = '', verb = ''] = action.split(':')
        // Whose alerts are mailed where is of a person in an account of their own; so is what people asked the client.
        const isTheirs = ['supportaccess', 'profile.alert_subscription', 'account.data_requests'].includes(
          noun,
        )
        assert.ok(!READS.includes(verb) || isTheirs, `${action} was taken away`)
      }
      assert.equal(as.may('profile:read'), alone.may('profile:read'))
      for (const action of ['payloads:play', 'payloads:download', 'payloads:export'])
        assert.equal(as.may(action), alone.may(action), action)
      assert.equal(as.may('profile.exports:create'), false, 'lists stay in the portal')
      assert.deepEqual(as.groups('devices:list'), alone.groups('devices:list'))
    })
  }
})
