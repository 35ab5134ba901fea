import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ActionPreview, PayloadType } from '@custodia/contract'
import { byNoun, suggestions, unmatchedBy } from './nouns.ts'

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

const missed = (allowed: string[], types: PayloadType[] = []) =>
  unmatchedBy(
    [
      ...allowed.map((action) => ({ action, outcome: 'allowed' as const })),
      { action: 'devices.sms:read', outcome: 'unmatched' as const },
    ],
    types,
  ).map(({ without }) => without)

test('the missing permissions of a role depend on its payload types', () => {
  const all = ['payloads:list', 'payloads:read', 'payloads:play', 'payloads:download', 'payloads.audit:read']
  assert.deepEqual(missed(all), ['devices.sms:read'])
  assert.deepEqual(missed(all, ['Call', 'SMS']), ['devices.sms:read'])
  assert.deepEqual(missed(all, ['Call']), [])
  assert.deepEqual(missed([...all, 'devices.sms:read']), [])
  assert.deepEqual(missed(['payloads:list'], ['Call']), ['payloads:read'])
  assert.deepEqual(missed([]), [])
})
