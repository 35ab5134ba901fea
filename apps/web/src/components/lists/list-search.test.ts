import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSearch } from '../../routing/search.ts'
import { filtersOf, sameFilters } from './list-search.ts'
import { CallsSearch, MessagesSearch } from '../payloads/payload-search.ts'

const calls = (address: string) => CallsSearch.parse(parseSearch(address))
const defined = (search: object) =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))

test('an address written by hand is read', () => {
  assert.deepEqual(
    defined(calls('?types=Call,BlockedCall&date=processed_at&from=-7d&late=true&groups=North desk')),
    {
      types: ['Call', 'BlockedCall'],
      date: 'processed_at',
      from: '-7d',
      late: true,
      groups: ['North desk'],
    },
  )
})

test('what the list does not know drops, the rest stays', () => {
  assert.deepEqual(
    defined(
      calls(
        '?types=Call,SMS,Nonsense,Call&states=Failed,failed&date=tomorrow&from=soon&to=2026-13-01&late=1&evil=1',
      ),
    ),
    { types: ['Call'], states: ['Failed'] },
  )
  assert.deepEqual(defined(MessagesSearch.parse(parseSearch('?types=Call,SMS'))), { types: ['SMS'] })
})

test('the plus of a number survives an address typed by hand', () => {
  assert.equal(calls('?number=+5511999990000').number, '+5511999990000')
  assert.equal(calls('?number=%2B5511999990000').number, '+5511999990000')
})

test('view and preview are no filters', () => {
  assert.deepEqual(filtersOf({ view: 'mine', preview: 'X', late: true, from: undefined }), { late: true })
  assert.ok(
    sameFilters({ from: '-7d', states: ['Failed'] }, { states: ['Failed'], from: '-7d', view: 'mine' }),
  )
  assert.ok(!sameFilters({ from: '-7d' }, { from: '-6d' }))
})

test('a search that was read before reads the same again', () => {
  const search = calls('?types=Call&late=true&groups=North&from=-7d')
  assert.deepEqual(defined(CallsSearch.parse(search)), defined(search))
})
