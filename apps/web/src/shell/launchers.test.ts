import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchers } from './launchers.ts'

const PAGE = { action: 'payloads:list', tabs: { retention: 'account.retention:read' } }

test('a tab needs its own permission, which also opens the page', () => {
  assert.deepEqual(launchers(PAGE, 'retention'), ['account.retention:read'])
  assert.deepEqual(launchers(PAGE), ['payloads:list', 'account.retention:read'])
  assert.deepEqual(launchers(PAGE, 'nothing'), ['payloads:list', 'account.retention:read'])
  assert.deepEqual(launchers({ action: 'tags:list' }, 'nothing'), ['tags:list'])
})
