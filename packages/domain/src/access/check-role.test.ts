import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Permission } from '@custodia/contract'
import { PATTERN_LIMITS } from '@custodia/contract'
import { checkRole } from './check-role.ts'

const ACTIONS = ['payloads:list', 'payloads:play']
const problemsOf = (...permissions: Permission[]) =>
  checkRole({ permissions, cidr_ranges: [] }, ACTIONS).problems.map(({ path, code }) => `${path} ${code}`)

describe('role validation', () => {
  it('finds no problem in a valid role', () => {
    const conditions = [
      { names_matching: ['North*'] },
      { keys_matching: ['Desk'], values_matching: ['[A-C]'], is_regex: true },
    ]
    const role = { permissions: [{ actions_matching: ['payloads:*'], conditions }], cidr_ranges: ['10/8'] }
    assert.deepEqual(checkRole(role, ACTIONS), { problems: [], warnings: [] })
  })
  it('reports the path of every invalid pattern', () => {
    assert.deepEqual(
      problemsOf(
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
      problemsOf({ actions_matching: ['*'], conditions: [{ is_denied: true }, { names_matching: [] }] }),
      ['permissions.0.conditions.0 no_patterns', 'permissions.0.conditions.1.names_matching too_few'],
    )
    assert.deepEqual(problemsOf({ actions_matching: [] }), ['permissions.0.actions_matching too_few'])
  })
  it('limits the patterns of a permission together with those of its conditions', () => {
    const rest = (n: number) => [{ names_matching: Array.from({ length: n }, () => 'a') }]
    const limit = PATTERN_LIMITS.per_list
    assert.deepEqual(problemsOf({ actions_matching: ['*'], conditions: rest(limit - 1) }), [])
    assert.deepEqual(problemsOf({ actions_matching: ['*'], conditions: rest(limit) }), [
      'permissions.0 too_many_patterns',
    ])
  })
  it('limits the patterns of all permissions', () => {
    const full = (n: number) => ({
      actions_matching: ['*'],
      conditions: [{ names_matching: Array.from({ length: n - 1 }, () => 'a') }],
    })
    const { per_list, per_role } = PATTERN_LIMITS
    const whole = Array.from({ length: per_role / per_list }, () => full(per_list))
    assert.deepEqual(problemsOf(...whole), [])
    assert.deepEqual(problemsOf(...whole, { actions_matching: ['*'] }), [
      'permissions too_many_patterns_in_role',
    ])
  })
  it('rejects invalid network ranges', () => {
    const { problems } = checkRole({ permissions: [], cidr_ranges: ['10/8', '999.1/99'] }, ACTIONS)
    assert.deepEqual(
      problems.map(({ path }) => path),
      ['cidr_ranges.1'],
    )
  })
  it('warns about action patterns that match no action', () => {
    const { problems, warnings } = checkRole(
      { permissions: [{ actions_matching: ['payloads:*', 'payload:*'] }], cidr_ranges: [] },
      ACTIONS,
    )
    assert.deepEqual(problems, [])
    assert.deepEqual(
      warnings.map(({ path, code }) => `${path} ${code}`),
      ['permissions.0.actions_matching.1 matches_no_action'],
    )
  })
})
