import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { actionsOf, api, Role } from '@custodia/contract'
import type { Endpoint } from '@custodia/contract'
import { checkRole } from './check-role.ts'
import { compileRole } from './compile-role.ts'
import { evaluate } from './evaluate.ts'
import { groupUniverse } from './group-universe.ts'
import { SYSTEM_ROLES } from './system-roles.ts'

const ENDPOINTS: Endpoint[] = Object.values(api)

/** Actions of the endpoint table, and those of screens still to come whose grants matter. */
const ACTIONS = [
  ...new Set([
    ...ENDPOINTS.flatMap(actionsOf),
    'payloads.comments:create',
    'payloads.comments:list',
    'comments:list',
    'payloads:restore',
    'roles:update',
    'devices.commands:send',
    'account.legal_holds:update',
    'account.retention:update',
    'receipts:confirm',
    'transfers:run',
  ]),
]
const CONTENT = [
  'payloads:play',
  'payloads:download',
  'payloads.comments:list',
  'comments:list',
  'devices.sms:read',
]

function may(role_reference: string, action: string): boolean {
  const rules = SYSTEM_ROLES.find((each) => each.role_reference === role_reference)
  assert.ok(rules, `no role ${role_reference}`)
  const compiled = compileRole(rules, groupUniverse([]), ACTIONS)
  return evaluate({ roles: [compiled], ip: '1.1.1.1' }, { networks: 'any' }).may(action)
}

describe('system roles', () => {
  for (const rules of SYSTEM_ROLES) {
    it(`${rules.role_reference} could be saved, cannot be edited, and denies nothing`, () => {
      assert.deepEqual(Role.parse(rules), rules)
      assert.deepEqual(checkRole(rules, ACTIONS).problems, [])
      assert.equal(rules.is_system, true)
      assert.ok(rules.permissions.every((permission) => !permission.is_denied))
    })
  }
  it('have names of their own', () => {
    assert.equal(new Set(SYSTEM_ROLES.map((role) => role.role_reference)).size, 9)
  })
  it('keep recordings from those who run the account, the fleet, the audit and support', () => {
    for (const name of ['Account Administrator', 'Fleet Administrator', 'Auditor', 'Support Metadata']) {
      for (const action of CONTENT) assert.equal(may(name, action), false, `${name} may ${action}`)
    }
  })
  it('let every person read their profile, and no person but the app confirm receipts', () => {
    for (const { role_reference } of SYSTEM_ROLES) {
      const isApp = role_reference === 'Receipt App'
      assert.equal(may(role_reference, 'profile:read'), !isApp, role_reference)
      assert.equal(may(role_reference, 'receipts:confirm'), isApp, role_reference)
    }
  })
  it('give each its work', () => {
    const work: [string, string[], string[]][] = [
      [
        'Account Administrator',
        ['roles:update', 'groups:list'],
        ['payloads:list', 'account.legal_holds:update'],
      ],
      [
        'Compliance Manager',
        [...CONTENT, 'payloads:restore', 'account.retention:update'],
        ['roles:update', 'devices.commands:send'],
      ],
      [
        'Compliance Reviewer',
        [...CONTENT, 'payloads.audit:read'],
        ['payloads:restore', 'account.legal_holds:update', 'roles:list'],
      ],
      ['Fleet Administrator', ['devices.commands:send'], ['payloads:list', 'roles:list']],
      ['Auditor', ['payloads.audit:read', 'roles:list'], ['roles:update', 'payloads.comments:create']],
      ['Regulatory Producer', ['payloads:download', 'transfers:run'], ['account.retention:update']],
      ['Support Content', ['payloads:play'], ['payloads:download', 'devices.commands:send']],
    ]
    for (const [name, yes, no] of work) {
      for (const action of yes) assert.ok(may(name, action), `${name} may not ${action}`)
      for (const action of no) assert.equal(may(name, action), false, `${name} may ${action}`)
    }
  })
  it('raise an alert only where support reaches recordings', () => {
    assert.deepEqual(
      SYSTEM_ROLES.filter((role) => role.is_alertable).map((role) => role.role_reference),
      ['Support Content'],
    )
  })
  it('cover every action of the endpoint table', () => {
    for (const action of ENDPOINTS.flatMap(actionsOf)) {
      assert.ok(
        SYSTEM_ROLES.some((role) => may(role.role_reference, action)),
        `nobody may ${action}`,
      )
    }
  })
})
