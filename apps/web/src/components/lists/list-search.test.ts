import assert from 'node:assert/strict'
import { test } from 'node:test'
import { text } from '@custodia/contract'
import * as z from 'zod/mini'
import { parseSearch } from '../../routing/search.ts'
import { either, getFilters, flag, freeText, one, sameFilters, searchReader, several } from './list-search.ts'

const read = searchReader({
  number: freeText(text(1, 255)),
  states: several(z.enum(['Failed', 'Processed'])),
  users: several(text(2, 9)),
  date: one(z.enum(['payload_time', 'updated_at'])),
  late: flag,
  allowed: either,
})
const at = (address: string) => read(parseSearch(address))

test('reads a hand-written address', () => {
  assert.deepEqual(at('?states=Failed,Processed&date=updated_at&late=true&allowed=false&number=12, 34'), {
    states: ['Failed', 'Processed'],
    date: 'updated_at',
    late: true,
    allowed: false,
    number: '12, 34',
  })
})

test('drops invalid values and keeps the rest', () => {
  assert.deepEqual(at('?states=Failed,failed,Failed&date=tomorrow&late=1&allowed=maybe&number=&evil=1'), {
    states: ['Failed'],
  })
})

test('accepts comma-separated names in a field and in the address', () => {
  assert.deepEqual(read({ users: 'alice, bob,,x' }), { users: ['alice', 'bob'] })
  assert.deepEqual(at('?users=alice%2Cbob'), { users: ['alice', 'bob'] })
})

test('keeps the plus of a phone number in a hand-written address', () => {
  assert.equal(at('?number=+5511999990000').number, '+5511999990000')
  assert.equal(at('?number=%2B5511999990000').number, '+5511999990000')
})

test('view and preview do not count as filters', () => {
  assert.deepEqual(getFilters({ view: 'mine', preview: 'X', late: true, from: undefined }), { late: true })
  assert.ok(
    sameFilters({ from: '-7d', states: ['Failed'] }, { states: ['Failed'], from: '-7d', view: 'mine' }),
  )
  assert.ok(!sameFilters({ from: '-7d' }, { from: '-6d' }))
})

test('reading a search twice gives the same search', () => {
  const search = at('?states=Failed&late=true&allowed=false&number=1&users=alice,bob')
  assert.deepEqual(read(search), search)
})
