import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '@custodia/contract'
import type { AccessGroup } from '@custodia/domain'
import fc from 'fast-check'
import { roleInput } from '../testing/access-fixture.ts'
import { LONG } from '../testing/long.ts'
import { compileRights, type Rights, type RightsSource } from './rights.ts'

const word = fc.constantFrom('a', 'b', 'ab', 'ba', 'abc')
const pattern = fc.constantFrom('a', 'b*', '*a', '?b', '*', 'abc')
const tags = fc.array(fc.record({ key: word, value: word }), { maxLength: 3 })
const groups = fc
  .uniqueArray(fc.record({ group_id: fc.integer({ min: 1, max: 30 }), group_reference: word, tags }), {
    selector: ({ group_id }) => group_id,
    maxLength: 25,
  })
  .map((all): AccessGroup[] => all.toSorted((a, b) => a.group_id - b.group_id))
const patterns = fc.array(pattern, { minLength: 1, maxLength: 2 })
const condition = fc.record(
  { names_matching: patterns, keys_matching: patterns, values_matching: patterns, is_denied: fc.boolean() },
  { requiredKeys: ['keys_matching'] },
)
const permission: fc.Arbitrary<Permission> = fc.record(
  {
    actions_matching: fc.constantFrom(['payloads:*'], ['*'], ['roles:list', 'groups:list']),
    is_denied: fc.boolean(),
    conditions: fc.array(condition, { maxLength: 3 }),
  },
  { requiredKeys: ['actions_matching'] },
)
const roles = fc.array(fc.array(permission, { minLength: 1, maxLength: 3 }), { maxLength: 4 }).map((all) =>
  all.map((permissions, i) => ({
    role_reference: `Role ${i}`,
    ...roleInput(permissions),
    is_system: false,
  })),
)
const source = (): fc.Arbitrary<RightsSource> =>
  fc.record({
    epoch: fc.constant(1),
    is_provider: fc.constant(false),
    groups,
    roles,
    role_changes: fc.constant(new Map()),
    default_role: fc.constant(null),
    contact: fc.constant(null),
    reasons: fc.constant(null),
    cidr_ranges: fc.constant([]),
  })

const getReaches = ({ roles: compiled }: Rights) =>
  [...compiled.values()].map(({ role_reference, allow, deny }) => [role_reference, [...allow], [...deny]])

test('carried-over rights equal newly compiled rights, and untouched roles keep their reach', () => {
  fc.assert(
    fc.property(source(), source(), fc.boolean(), (first, second, areRolesKept) => {
      const known = compileRights(first)
      const next = areRolesKept ? { ...second, roles: first.roles } : second
      const carried = compileRights(next, known)
      assert.deepEqual(getReaches(carried), getReaches(compileRights(next)))
      const kept = new Set(next.groups.map(({ group_id }) => group_id))
      for (const [reference, role] of carried.roles) {
        const before = known.roles.get(reference)
        if (carried.touched.has(reference) || !before) continue
        for (const [action, reach] of role.allow) {
          const was = known.groupIndex.translate(before.allow.get(action) ?? 0n, carried.groupIndex)
          assert.equal(reach, was, `${reference} ${action} of ${kept.size}`)
        }
      }
    }),
    { numRuns: LONG ? 2000 : 40 },
  )
})
