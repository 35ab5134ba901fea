import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PortalActivityQuery } from '@custodia/contract'
import { changingActions } from './changing-actions.ts'
import { userAuditQuery } from './audit-search.ts'

test('what changes something is among them, what only reads or asks is not', () => {
  const actions = changingActions()
  for (const action of [
    'groups:update',
    'roles:delete',
    'supportaccess:decide',
    'alerts:clear',
    'receipts:confirm',
  ])
    assert.ok(actions.includes(action), action)
  for (const action of [
    'groups:list',
    'payloads:play',
    'roles:review',
    'account.apps:test',
    'session:sign_out',
  ])
    assert.equal(actions.includes(action), false, action)
})

test('the server takes the view, and chosen actions go before it', () => {
  const { actions } = userAuditQuery({ changes: true }, 0)
  assert.ok(PortalActivityQuery.safeParse({ actions }).success)
  assert.deepEqual(userAuditQuery({ changes: true, actions: ['roles:*'] }, 0).actions, ['roles:*'])
  assert.equal(userAuditQuery({}, 0).actions, undefined)
})
