import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionsByNoun, matchesWildcards } from './action-patterns.ts'

test('a star matches any characters, a question mark one, and patterns match whole names', () => {
  for (const [pattern, name] of [
    ['payloads:*', 'payloads:play'],
    ['payloads:*', 'payloads:'],
    ['*', ''],
    ['**:l?st', 'groups:list'],
    ['payloads.*', 'payloads.audit:read'],
  ] as const)
    assert.ok(matchesWildcards(pattern, name), `${pattern} ${name}`)
  for (const [pattern, name] of [
    ['payloads:*', 'payloads.audit:read'],
    ['payloads:pla', 'payloads:play'],
    ['?', ''],
    ['payloads.play', 'payloads:play'],
    ['', 'a'],
  ] as const)
    assert.ok(!matchesWildcards(pattern, name), `${pattern} ${name}`)
  assert.ok(!matchesWildcards(`${'*a'.repeat(200)}b`, 'a'.repeat(5_000)), 'at once')
})

test('actions are grouped by noun', () => {
  assert.deepEqual(actionsByNoun(['payloads:play', 'groups:list', 'payloads.audit:read', 'payloads:list']), [
    { noun: 'groups', verbs: ['list'] },
    { noun: 'payloads', verbs: ['list', 'play'] },
    { noun: 'payloads.audit', verbs: ['read'] },
  ])
})
