import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedNouns, readNouns } from './consent-nouns.ts'

test('a consent names each subject once, with playback and own calls apart', () => {
  const actions = [
    'account.retention:read',
    'devices.numbers:read',
    'devices:list',
    'groups:update',
    'payloads:list',
    'payloads:play',
    'profile:read',
  ]
  assert.deepEqual(readNouns(actions), ['account.retention', 'devices', 'payloads'])
  assert.deepEqual(changedNouns(actions), ['groups'])
})
