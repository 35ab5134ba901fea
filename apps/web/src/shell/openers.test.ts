import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openers } from './openers.ts'

const PAGE = { action: 'payloads:list', tabs: { retention: 'account.retention:read' } }

test('a tab needs its own permission, which also opens the page', () => {
  assert.deepEqual(openers(PAGE, 'retention'), ['account.retention:read'])
  assert.deepEqual(openers(PAGE), ['payloads:list', 'account.retention:read'])
  assert.deepEqual(openers(PAGE, 'nothing'), ['payloads:list', 'account.retention:read'])
  assert.deepEqual(openers({ action: 'tags:list' }, 'nothing'), ['tags:list'])
})
