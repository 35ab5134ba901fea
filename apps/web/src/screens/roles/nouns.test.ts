import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ActionPreview } from '@custodia/contract'
import { byNoun, suggestions } from './nouns.ts'

const none = { is_all: false, count: 0, first: [] }
const preview = (action: string, outcome: ActionPreview['outcome']): ActionPreview => ({
  action,
  outcome,
  allowed_by: [],
  denied_by: [],
  groups: none,
  struck: none,
  groupless: false,
})

test('allowed nouns come first, then denied ones, and none is lost', () => {
  const nouns = byNoun([
    preview('alerts:list', 'unmatched'),
    preview('alerts.summary:read', 'denied'),
    preview('groups:list', 'allowed'),
    preview('groups:update', 'unmatched'),
    preview('account.apps:list', 'unmatched'),
  ])
  assert.deepEqual(
    nouns.map(({ noun, decided, unmatched }) => [noun, decided.length, unmatched.length]),
    [
      ['groups', 1, 1],
      ['alerts.summary', 1, 0],
      ['account.apps', 0, 1],
      ['alerts', 0, 1],
    ],
  )
})

test('suggestions offer whole nouns before single actions, each once', () => {
  assert.deepEqual(suggestions(['b:y', 'a:x', 'b:x', 'a:x']), ['a:*', 'b:*', 'a:x', 'b:x', 'b:y'])
})
