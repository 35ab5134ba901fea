import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { actionsOf, api, Role } from '@custodia/contract'
import type { Endpoint } from '@custodia/contract'
import { checkRole } from './check-role.ts'
import { compileRole } from './compile-role.ts'
import { evaluate } from './evaluate.ts'
import { indexGroups } from './group-index.ts'
import { actionsFor, PROVIDER_ROLES, SYSTEM_ROLES, systemRolesFor } from './system-roles.ts'

const ENDPOINTS: Endpoint[] = Object.values(api)

const PROVIDER_ACTIONS = [
  'internal.clients:list',
  'internal.clients:read',
  'internal.clients:update',
  'internal.supportaccess:list',
  'internal.supportaccess:read',
  'internal.supportaccess:request',
  'internal.supportaccess:cancel',
  'internal.support_mode:start',
  'internal.support_mode:end',
  'internal.licenses:list',
  'internal.licenses:update',
  'internal.alerts:list',
  'internal.alerts:read',
  'internal.alerts:notify',
  'internal.alerts:clear',
  'internal.alerts:dismiss',
  'internal.countries:list',
  'internal.statistics:read',
  'internal.staff:list',
  'internal.roles:list',
]

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
    'account.legal_holds:list',
    'account.legal_holds:update',
    'account.legal_holds:delete',
    'account.retention:read',
    'account.retention:update',
    'receipts:confirm',
    'transfers:run',
    'profile.terms:accept',
    'alerts:list',
    'alerts:clear',
    'alerts:dismiss',
    'alerts.summary:read',
    'licenses:list',
    ...PROVIDER_ACTIONS,
  ]),
]
const CONTENT = [
  'payloads:play',
  'payloads:download',
  'payloads.comments:list',
  'comments:list',
  'devices.sms:read',
]

const ALL_ROLES = systemRolesFor({ is_provider: true })

function may(role_reference: string, action: string): boolean {
  const rules = ALL_ROLES.find((each) => each.role_reference === role_reference)
  assert.ok(rules, `no role ${role_reference}`)
  const compiled = compileRole(rules, indexGroups([]), ACTIONS)
  return evaluate({ roles: [compiled], ip: '1.1.1.1' }, { networks: 'any' }).may(action)
}

describe('system roles', () => {
  for (const rules of ALL_ROLES) {
    it(`${rules.role_reference} is valid, not editable, and denies nothing`, () => {
      assert.deepEqual(Role.parse(rules), rules)
      assert.deepEqual(checkRole(rules, ACTIONS).problems, [])
      assert.equal(rules.is_system, true)
      assert.ok(rules.permissions.every((permission) => !permission.is_denied))
    })
  }
  it('have unique names', () => {
    assert.equal(new Set(ALL_ROLES.map((role) => role.role_reference)).size, 11)
  })
  it('give no recordings to administrators, auditors and metadata support', () => {
    for (const name of ['Account Administrator', 'Fleet Administrator', 'Auditor', 'Support Metadata']) {
      for (const action of CONTENT) assert.equal(may(name, action), false, `${name} may ${action}`)
    }
  })
  it('let people read their profile, and only the app and compliance managers confirm receipts', () => {
    for (const { role_reference } of SYSTEM_ROLES) {
      const isApp = role_reference === 'Receipt App'
      assert.equal(may(role_reference, 'profile:read'), !isApp, role_reference)
      const confirms = isApp || role_reference === 'Compliance Manager'
      assert.equal(may(role_reference, 'receipts:confirm'), confirms, role_reference)
    }
  })
  it('permit the tasks of each role and refuse others', () => {
    const work: [string, string[], string[]][] = [
      [
        'Account Administrator',
        [
          'roles:update',
          'groups:list',
          'access:escalate',
          'account.apps:test',
          'supportaccess:decide',
          'account.retention:update',
        ],
        ['payloads:list', 'account.legal_holds:update', 'account.legal_holds:delete'],
      ],
      [
        'Compliance Manager',
        [
          ...CONTENT,
          'payloads:restore',
          'account.retention:read',
          'account.legal_holds:update',
          'account.legal_holds:delete',
        ],
        ['roles:update', 'devices.commands:send', 'account.retention:update'],
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
  it('never combine the release of legal holds with a change of retention', () => {
    const both = ALL_ROLES.map(({ role_reference }) => role_reference).filter(
      (name) =>
        (may(name, 'account.legal_holds:delete') || may(name, 'account.legal_matters:delete')) &&
        may(name, 'account.retention:update'),
    )
    assert.deepEqual(both, [])
    for (const action of [
      'account.legal_holds:delete',
      'account.legal_matters:delete',
      'account.retention:update',
    ])
      assert.ok(
        ALL_ROLES.some(({ role_reference }) => may(role_reference, action)),
        action,
      )
  })
  it('raise an alert only for support with access to recordings', () => {
    assert.deepEqual(
      SYSTEM_ROLES.filter((role) => role.is_alertable).map((role) => role.role_reference),
      ['Support Content'],
    )
  })
  it('cover every action of the endpoint table', () => {
    for (const action of ENDPOINTS.flatMap(actionsOf)) {
      const roles = action.startsWith('internal.') ? PROVIDER_ROLES : SYSTEM_ROLES
      assert.ok(
        roles.some((role) => may(role.role_reference, action)),
        `nobody may ${action}`,
      )
    }
  })
  it('let only the account administrator grant rights beyond their own', () => {
    assert.deepEqual(
      ALL_ROLES.map((role) => role.role_reference).filter((name) => may(name, 'access:escalate')),
      ['Account Administrator'],
    )
  })
})

describe('provider roles', () => {
  it('exist only for the provider', () => {
    const references = systemRolesFor({ is_provider: false }).map((role) => role.role_reference)
    for (const { role_reference } of PROVIDER_ROLES) assert.ok(!references.includes(role_reference))
  })
  it('are the only roles with provider actions', () => {
    for (const action of PROVIDER_ACTIONS) {
      assert.ok(may('Provider Administrator', action), action)
      for (const { role_reference } of SYSTEM_ROLES) assert.equal(may(role_reference, action), false)
    }
  })
  it('let provider support request and use access, but not change clients, licences or alerts', () => {
    const work = PROVIDER_ACTIONS.filter((action) => may('Provider Support', action))
    assert.deepEqual(
      PROVIDER_ACTIONS.filter((action) => !work.includes(action)),
      [
        'internal.clients:update',
        'internal.licenses:list',
        'internal.licenses:update',
        'internal.alerts:notify',
        'internal.alerts:clear',
        'internal.alerts:dismiss',
      ],
    )
  })
  it('grant no action within a client', () => {
    for (const { role_reference } of PROVIDER_ROLES) {
      for (const action of ACTIONS) {
        if (action.startsWith('internal.') || /^(profile|session|dashboard)[.:]/.test(action)) continue
        assert.equal(may(role_reference, action), false, `${role_reference} may ${action}`)
      }
    }
  })
  it('are not reachable through a wildcard in another client', () => {
    const clientActions = actionsFor({ is_provider: false }, ACTIONS)
    const everything = { ...PROVIDER_ROLES[0]!, permissions: [{ actions_matching: ['*', 'internal.*'] }] }
    const access = evaluate(
      { roles: [compileRole(everything, indexGroups([]), clientActions)], ip: '1.1.1.1' },
      { networks: 'any' },
    )
    assert.deepEqual(
      access.actions().filter((action) => action.startsWith('internal')),
      [],
    )
    assert.equal(access.may('internal.clients:list'), false)
    assert.deepEqual(actionsFor({ is_provider: true }, ACTIONS), ACTIONS)
  })
})
