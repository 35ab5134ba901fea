import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flattenQuery } from '@custodia/client'
import { api, type Endpoint } from '@custodia/contract'
import fc from 'fast-check'
import type * as z from 'zod/mini'
import { parseSearch, stringifySearch } from '../../routing/search.ts'
import { callSearch, wireFilters } from './call-search.ts'

process.env.TZ = 'UTC'
const NOW = Date.UTC(2026, 10, 21, 12)

/** Every paged call of the portals has a query with `last_key`. */
const lists = Object.entries(api as Readonly<Record<string, Endpoint>>).filter(
  (entry): entry is [string, Endpoint & { query: z.ZodMiniObject }] =>
    entry[1].query !== undefined && 'last_key' in entry[1].query.shape,
)
const PAGING = ['client', 'limit', 'last_key', 'type']
const getFilters = ({ shape }: z.ZodMiniObject) =>
  Object.keys(shape)
    .filter((name) => !PAGING.includes(name))
    .map((name) => ({ name, kind: 'text' as const }))
const query = (name: keyof typeof api) => (api[name] as Endpoint).query as z.ZodMiniObject
const asked = (name: keyof typeof api, address: string) =>
  wireFilters(query(name), callSearch(query(name), getFilters(query(name)))(parseSearch(address)), NOW)

/** Values that the server reads from a bracket-style query string. */
function received(sent: object): object {
  const read: Record<string, string | string[]> = {}
  for (const [name, value] of flattenQuery({ ...sent })) {
    const list = /^(.*)\[\d+\]$/.exec(name)?.[1]
    if (list === undefined) read[name] = value
    else read[list] = [...(read[list] ?? []), value]
  }
  return read
}

test('every filter of an address is sent to the server under its name', () => {
  assert.deepEqual(
    asked(
      'listPayloads',
      '?number=%2B4420&date_filter=updated_at&from=-7d&to=yesterday&payload_types=Call&groups=North,South&states=Failed&device_user_reference=ana.souza&device_reference=SM-1&is_late=true&view=x&preview=y',
    ),
    {
      number: '+4420',
      date_filter: 'updated_at',
      from: '2026-11-14-000000',
      to: '2026-11-21-000000',
      payload_types: ['Call'],
      groups: ['North', 'South'],
      states: ['Failed'],
      device_user_reference: 'ana.souza',
      device_reference: 'SM-1',
      is_late: true,
    },
  )
})

test('an address without filters sends no filter', () => {
  for (const [, { query: schema }] of lists) {
    for (const address of ['', '?search=&tag_value=&states=&is_late='])
      assert.deepEqual(callSearch(schema, getFilters(schema))(parseSearch(address)), {})
  }
})

test('the server accepts the query of any address', () => {
  assert.ok(lists.length > 10)
  for (const [name, { query: schema }] of lists) {
    const filters = getFilters(schema)
    const words = fc.oneof(
      fc.constantFrom('true', 'false', '-7d', 'today', 'now', '2026-02-31', 'Call', 'High', 'pending', 'Ana'),
      fc.string(),
    )
    const address = fc.dictionary(
      fc.constantFrom(...filters.map((filter) => filter.name), 'from', 'unknown'),
      fc.oneof(words, fc.array(words, { maxLength: 3 })),
    )
    fc.assert(
      fc.property(address, (raw) => {
        const search = callSearch(schema, filters)(parseSearch(stringifySearch(raw)))
        const parsed = schema.safeParse(received(wireFilters(schema, search, NOW)))
        assert.ok(parsed.success, `${name}: ${JSON.stringify(raw)}`)
      }),
      { numRuns: 100 },
    )
  }
})
