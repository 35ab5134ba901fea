import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getActions, api, type Endpoint, PATTERN_LIMITS, type Permission, Role } from '@custodia/contract'
import { evaluate } from './evaluate.ts'
import { indexGroups, narrowSample } from './group-index.ts'
import { checkRole } from './preview.ts'
import { compileRole } from './role-sum.ts'
import { PROVIDER_ROLES, SYSTEM_ROLES, systemRolesFor } from './system-roles.ts'

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
    ...ENDPOINTS.flatMap(getActions),
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
  'payloads.snippets:read',
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
    for (const action of ENDPOINTS.flatMap(getActions)) {
      const roles = action.startsWith('internal.') ? PROVIDER_ROLES : SYSTEM_ROLES
      assert.ok(
        roles.some((role) => may(role.role_reference, action)),
        `no role may ${action}`,
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
})

const CHECK_ROLE_ACTIONS = ['payloads:list', 'payloads:play']
const getProblems = (...permissions: Permission[]) =>
  checkRole({ permissions, cidr_ranges: [] }, CHECK_ROLE_ACTIONS).problems.map(
    ({ path, code }) => `${path} ${code}`,
  )

describe('role validation', () => {
  it('finds no problem in a valid role', () => {
    const conditions = [
      { names_matching: ['North*'] },
      { keys_matching: ['Desk'], values_matching: ['[A-C]'], is_regex: true },
    ]
    const role = { permissions: [{ actions_matching: ['payloads:*'], conditions }], cidr_ranges: ['10/8'] }
    assert.deepEqual(checkRole(role, CHECK_ROLE_ACTIONS), { problems: [], warnings: [] })
  })
  it('reports the path of every invalid pattern', () => {
    assert.deepEqual(
      getProblems(
        { actions_matching: ['payloads:*'] },
        {
          actions_matching: ['*', '('],
          is_regex: true,
          conditions: [
            { keys_matching: ['ok', 'x'.repeat(129)] },
            { values_matching: ['(?=x)'], is_regex: true },
          ],
        },
      ),
      [
        'permissions.1.actions_matching.0 pattern_invalid',
        'permissions.1.actions_matching.1 pattern_invalid',
        'permissions.1.conditions.0.keys_matching.1 pattern_too_long',
        'permissions.1.conditions.1.values_matching.0 pattern_invalid',
      ],
    )
  })
  it('requires a pattern in every condition and action list', () => {
    assert.deepEqual(
      getProblems({ actions_matching: ['*'], conditions: [{ is_denied: true }, { names_matching: [] }] }),
      ['permissions.0.conditions.0 no_patterns', 'permissions.0.conditions.1.names_matching too_few'],
    )
    assert.deepEqual(getProblems({ actions_matching: [] }), ['permissions.0.actions_matching too_few'])
  })
  it('limits the patterns of a permission together with those of its conditions', () => {
    const rest = (n: number) => [{ names_matching: Array.from({ length: n }, () => 'a') }]
    const limit = PATTERN_LIMITS.per_list
    assert.deepEqual(getProblems({ actions_matching: ['*'], conditions: rest(limit - 1) }), [])
    assert.deepEqual(getProblems({ actions_matching: ['*'], conditions: rest(limit) }), [
      'permissions.0 too_many_patterns',
    ])
  })
  it('rejects invalid network ranges', () => {
    const { problems } = checkRole({ permissions: [], cidr_ranges: ['10/8', '999.1/99'] }, CHECK_ROLE_ACTIONS)
    assert.deepEqual(
      problems.map(({ path }) => path),
      ['cidr_ranges.1'],
    )
  })
  it('warns about action patterns that match no action', () => {
    const { problems, warnings } = checkRole(
      { permissions: [{ actions_matching: ['payloads:*', 'payload:*'] }], cidr_ranges: [] },
      CHECK_ROLE_ACTIONS,
    )
    assert.deepEqual(problems, [])
    assert.deepEqual(
      warnings.map(({ path, code }) => `${path} ${code}`),
      ['permissions.0.actions_matching.1 matches_no_action'],
    )
  })
})

const groupIndex = indexGroups(
  Array.from({ length: 50 }, (_, i) => ({ group_id: i, group_reference: `Group ${i}`, tags: [] })),
)
const seesLast = ({ group_id }: { group_id: number }) => group_id >= 30

describe('a group sample for a reader of some groups', () => {
  it('names and counts only the visible groups', () => {
    const sample = groupIndex.sample(groupIndex.where(({ group_id }) => group_id % 2 === 0))
    assert.deepEqual([sample.count, sample.first.includes('Group 48')], [25, false])
    const narrow = narrowSample(sample, seesLast)
    const first = Array.from({ length: 10 }, (_, i) => `Group ${30 + 2 * i}`)
    assert.deepEqual(narrow, { is_all: false, count: 10, first, is_partial: true })
    const again = narrowSample(narrow, ({ group_id }) => group_id === 48)
    assert.deepEqual([again.count, again.first], [1, ['Group 48']])
  })

  it('keeps is_all when the sample covers all groups', () => {
    assert.deepEqual(
      narrowSample(groupIndex.sample(groupIndex.everything), () => false),
      { is_all: true, count: 0, first: [], is_partial: true },
    )
  })
})
