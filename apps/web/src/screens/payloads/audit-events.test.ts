import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditEvents } from './audit-events.ts'

test('actions and receipts are listed together, newest first', () => {
  const events = auditEvents({
    payload_reference: '01J9ZK3V5Q8Y7XH2M4N6P0RSTA',
    records: [
      { portal_user: 'bob', action: 'payloads:play', time: 30 },
      { portal_user: 'alice', action: 'payloads:read', time: 10 },
    ],
    receipts: [{ client_app_user: 'archive', confirmed_at: 20, is_person: false }],
  })
  assert.deepEqual(
    events.map(({ who, action }) => `${who} ${action}`),
    ['bob payloads:play', 'archive receipt', 'alice payloads:read'],
  )
})
