import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditEvents } from './audit-events.ts'

const record = { name: null, detail: null }

test('actions and receipts are listed together, newest first, and the last play says what was heard', () => {
  const parts = [{ from: 0, to: 38 }]
  const audit = {
    payload_reference: '01J9ZK3V5Q8Y7XH2M4N6P0RSTA',
    records: [
      { ...record, portal_user: 'bob', name: 'Bob Singh', action: 'payloads:play', time: 30 },
      { ...record, portal_user: 'bob', name: 'Bob Singh', action: 'payloads:play', time: 15 },
      { ...record, portal_user: 'alice', action: 'payloads:read', time: 10 },
    ],
    receipts: [
      { client_app_user: 'archive', confirmed_at: 20, is_person: false },
      { client_app_user: 'carol', client_app_user_name: 'Carol Diaz', confirmed_at: 5, is_person: true },
    ],
    listeners: [
      { heard_by: 'bob', first_at: 15, last_at: 30, parts },
      { heard_by: 'alice', first_at: 10, last_at: 10 },
    ],
    length: 40,
  }
  const events = auditEvents(audit, true)
  assert.deepEqual(
    events.map(({ who, action, heard }) => [who, action, heard]),
    [
      ['Bob Singh', 'payloads:play', parts],
      ['archive', 'receipt', undefined],
      ['Bob Singh', 'payloads:play', undefined],
      ['alice', 'payloads:read', undefined],
      ['Carol Diaz', 'receipt of person', undefined],
    ],
  )
  // A photo is opened, not played.
  assert.equal(auditEvents(audit, false)[0]?.action, 'payloads:read')
})
