import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionsByNoun } from './actions-by-noun.ts'

test('actions are grouped by noun', () => {
  assert.deepEqual(actionsByNoun(['payloads:play', 'groups:list', 'payloads.audit:read', 'payloads:list']), [
    { noun: 'groups', verbs: ['list'] },
    { noun: 'payloads', verbs: ['list', 'play'] },
    { noun: 'payloads.audit', verbs: ['read'] },
  ])
})
