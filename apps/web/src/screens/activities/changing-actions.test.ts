import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PortalActivityQuery } from '@custodia/contract'
import { changesOnly, changingActions } from './changing-actions.ts'

test('the list includes actions that change data and no read or test actions', () => {
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

test('the server accepts the changes view, and selected actions override it', () => {
  const { actions } = changesOnly({ changes: true })
  assert.ok(PortalActivityQuery.safeParse({ actions }).success)
  assert.deepEqual(changesOnly({ changes: true, actions: ['roles:*'] }), {})
  assert.deepEqual(changesOnly({}), {})
})
