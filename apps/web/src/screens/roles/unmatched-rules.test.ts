import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PayloadType } from '@custodia/contract'
import { unmatchedBy } from './unmatched-rules.ts'

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
