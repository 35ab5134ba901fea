import assert from 'node:assert/strict'
import { it } from 'node:test'
import { api, type Endpoint, type Permission } from '@custodia/contract'
import { compileRole, evaluate, indexGroups } from '@custodia/domain'
import fc from 'fast-check'
import { LONG } from '../testing/long.ts'
import { authorise } from './bind.ts'

const groupIndex = indexGroups([
  { group_id: 1, group_reference: 'North', tags: [] },
  { group_id: 2, group_reference: 'South', tags: [] },
])

const permission: fc.Arbitrary<Permission> = fc.record({
  actions_matching: fc.subarray(
    ['*', '*:list', '*:read', 'account.*', 'licenses:*', 'payloads*', 'roles:list', 'transfers:?*'],
    { minLength: 1, maxLength: 2 },
  ),
  is_denied: fc.constantFrom(false, false, false, true),
  conditions: fc.option(
    fc.array(
      fc.record({
        names_matching: fc.constantFrom(['North'], ['S*'], ['Missing'], ['*']),
        is_denied: fc.boolean(),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    { nil: undefined },
  ),
})
const roles = fc.array(fc.array(permission, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })

const calls = (Object.values(api) as Endpoint[]).flatMap((row) =>
  row.authentication !== 'portal' || row.before_terms
    ? []
    : (typeof row.action === 'string' ? [row.action] : Object.values(row.action.of)).map((action) => ({
        row,
        action,
      })),
)

/** The calls that are not refused for a missing permission. */
const getAllowed = (access: ReturnType<typeof evaluate>): typeof calls =>
  calls.filter(({ row, action }) => {
    try {
      authorise(row, action, {
        kind: 'portal',
        access,
        is_provider: true,
        support_reference: undefined,
        terms_accepted_at: 1,
      })
      return true
    } catch {
      return false
    }
  })

it('lists in the profile the actions whose calls are allowed, and no others', () => {
  fc.assert(
    fc.property(roles, fc.constantFrom(undefined, ['North'], []), (all, group_references) => {
      const compiled = all.map((permissions, i) =>
        compileRole(
          {
            role_reference: `R${i}`,
            permissions,
            payload_types: [],
            cidr_ranges: [],
            alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
            is_alertable: false,
          },
          groupIndex,
          calls.map(({ action }) => action),
        ),
      )
      const access = evaluate({ roles: compiled, ip: '10.0.0.1', group_references }, { networks: 'any' })
      const listed = new Set(access.actions())
      const named = ({ row, action }: (typeof calls)[number]) => `${row.method} ${row.path} ${action}`
      assert.deepEqual(
        getAllowed(access).map(named),
        calls.filter(({ action }) => listed.has(action)).map(named),
      )
      // Entries without a group are hidden from holders whose permissions are all conditional.
      if (all.flat().every(({ is_denied, conditions }) => is_denied || conditions))
        assert.equal(listed.has('licenses:list'), false)
    }),
    { numRuns: LONG ? 5_000 : 200 },
  )
})
