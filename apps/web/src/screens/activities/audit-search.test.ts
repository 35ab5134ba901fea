import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceAuditQuery, DeviceAuditSearch, userAuditQuery, UserAuditSearch } from './audit-search.ts'

const given = (query: object) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))

test('several users and actions come from one address', () => {
  const search = UserAuditSearch.parse({
    users: ['alice', 'bob'],
    actions: ['payloads:*'],
    support: 'true',
    outcome: 'denied',
  })
  assert.deepEqual(given(userAuditQuery(search, 0)), {
    users: ['alice', 'bob'],
    actions: ['payloads:*'],
    is_support: true,
    is_allowed: false,
  })
})

test('what does not fit drops', () => {
  const search = UserAuditSearch.parse({ outcome: 'maybe', search: 'ab', users: ['', 'x'], from: 'whenever' })
  assert.deepEqual(given(userAuditQuery(search, 0)), {})
})

test('devices are found by their own filters, not by those of people', () => {
  const search = DeviceAuditSearch.parse({
    device: 'phone-1',
    user: 'ana',
    users: 'alice',
    outcome: 'allowed',
  })
  assert.deepEqual(given(deviceAuditQuery(search, 0)), {
    device_reference: 'phone-1',
    device_user_reference: 'ana',
    is_allowed: true,
  })
})
