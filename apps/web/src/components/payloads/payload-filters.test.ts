import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PayloadQuery } from '@custodia/contract'
import { flattenQuery } from '@custodia/client'
import { parseSearch } from '../../routing/search.ts'
import { payloadFilters } from './payload-filters.ts'
import { CallsSearch } from './payload-search.ts'

process.env.TZ = 'UTC'
const NOW = Date.UTC(2026, 10, 21, 12)
const filters = (address: string) => payloadFilters('calls', CallsSearch.parse(parseSearch(address)), NOW)

test('every filter of an address reaches the wire', () => {
  const sent = filters(
    '?number=%2B4420&date=updated_at&from=-7d&to=yesterday&types=Call&groups=North,South&states=Failed&user=ana.souza&device=SM-1&late=true',
  )
  assert.deepEqual(sent, {
    service: 'calls',
    payload_types: ['Call'],
    groups: ['North', 'South'],
    states: ['Failed'],
    number: '+4420',
    device_user_reference: 'ana.souza',
    device_reference: 'SM-1',
    is_late: true,
    date_filter: 'updated_at',
    from: '2026-11-14-000000',
    to: '2026-11-21-000000',
  })
})

test('the server accepts whatever an address can ask for', () => {
  for (const address of [
    '',
    '?from=now&to=now',
    '?from=-24h&types=Call,BlockedCall',
    '?groups=North desk&late=true',
  ]) {
    const wire = Object.fromEntries(flattenQuery({ ...filters(address) }))
    const { 'payload_types[0]': first, 'payload_types[1]': second, 'groups[0]': group, ...rest } = wire
    const query = {
      ...rest,
      ...(first === undefined ? {} : { payload_types: [first, second].filter((type) => type !== undefined) }),
      ...(group === undefined ? {} : { groups: [group] }),
    }
    assert.ok(PayloadQuery.safeParse(query).success, address)
  }
})
