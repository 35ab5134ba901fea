import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesWildcards } from './wildcards.ts'

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
