import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RoleInput, StoredRole } from '@custodia/contract'
import {
  copyOfRole,
  draftOfRole,
  moveRule,
  NEW_ROLE,
  newCondition,
  newRule,
  rightsFaults,
  roleFaults,
  roleInput,
} from './role-draft.ts'

const { role_reference: _, ...rights } = {
  role_reference: 'North desk',
  description: 'Hears the north',
  permissions: [
    {
      actions_matching: ['payloads:*'],
      conditions: [
        { names_matching: ['North*'], keys_matching: ['region'], values_matching: ['North'] },
        { names_matching: ['Contractors'], is_denied: true, is_regex: true },
      ],
    },
    { actions_matching: ['payloads:download'], is_denied: true, is_regex: true },
  ],
  payload_types: ['Call' as const],
  cidr_ranges: ['10.0.0.0/8'],
  alert_permissions: { ops_read: true, ops_write: false, sec_read: false, sec_write: false },
  is_alertable: true,
} satisfies { role_reference: string } & RoleInput
const stored: StoredRole = {
  ...rights,
  role_reference: 'North desk',
  is_system: false,
  client: 'acme',
  version: 'v',
  updated_at: 1,
  updated_by: 'alice',
}

test('the editor gives back the same role without default values', () => {
  assert.deepEqual(roleInput(draftOfRole(stored)), rights)
  const spelledOut = {
    ...stored,
    permissions: [{ actions_matching: ['a:b'], is_denied: false, is_regex: false, conditions: [] }],
  }
  assert.deepEqual(roleInput(draftOfRole(spelledOut)).permissions, [{ actions_matching: ['a:b'] }])
  assert.equal('description' in roleInput({ ...draftOfRole(stored), description: ' ' }), false)
})

test('a copy has the permissions and no name', () => {
  assert.equal(copyOfRole(stored).role_reference, '')
  assert.deepEqual(roleInput(copyOfRole(stored)), rights)
})

test('a new role reports its missing name and action', () => {
  assert.deepEqual(
    roleFaults(NEW_ROLE).map(({ path }) => path),
    ['role_reference', 'permissions.0.actions_matching'],
  )
})

test('a condition without patterns is reported once, also when it denies', () => {
  const conditions = [{ ...newCondition([]), is_denied: true }, newCondition([])]
  const draft = {
    ...draftOfRole(stored),
    permissions: [{ ...newRule([]), actions_matching: ['a'], conditions }],
  }
  assert.deepEqual(
    rightsFaults(draft).map(({ path, code }) => [path, code]),
    [
      ['permissions.0.conditions.0', 'no_patterns'],
      ['permissions.0.conditions.1', 'no_patterns'],
    ],
  )
})

test('rules move within the list and keep their identity', () => {
  const rules = [1, 2, 3].map((id) => ({ ...newRule([]), id }))
  const ids = (from: number, to: number) => moveRule(rules, from, to).map(({ id }) => id)
  assert.deepEqual(ids(0, 2), [2, 3, 1])
  assert.deepEqual(ids(2, 1), [1, 3, 2])
  assert.deepEqual(ids(0, -1), [1, 2, 3])
  assert.deepEqual(ids(2, 3), [1, 2, 3])
  assert.equal(newRule(rules).id, 4)
})
