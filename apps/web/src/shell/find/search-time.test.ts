import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchTime } from './search-time.ts'

// A Monday, 16:10 local time.
const now = new Date(2026, 10, 23, 16, 10)
const at = (typed: string) => {
  const found = searchTime(typed, now)
  return found && `${found.from} ${found.to}`
}
const around = '2026-11-20T14:00 2026-11-20T15:00'
const yesterday = '2026-11-22T14:00 2026-11-22T15:00'

test('reads a time in both languages as half an hour before to half an hour after', () => {
  for (const typed of [
    '2026-11-20 14:30',
    '2026-11-20T14:30',
    '2026-11-20 14:30:59',
    '20/11 14:30',
    '20/11/2026 14:30',
    '20/11/26, 14:30',
    '20.11.2026 14h30',
    '20-11-2026 14:30',
    '20/11 2:30 pm',
    '20/11 at 2:30PM',
    '20/11 às 14h30',
    '20 Nov 14:30',
    '20th November 2026 at 14:30',
    '20 de novembro de 2026 14:30',
    'November 20, 2026 14:30',
    'friday 14:30',
    'sexta 14h30',
    'Sexta-feira às 14:30',
  ])
    assert.equal(at(typed), around, typed)
  for (const typed of [
    'yesterday 14:30',
    'Yesterday at 2:30pm',
    'ontem 14:30',
    'ontem às 14h30',
    'domingo 14:30',
  ])
    assert.equal(at(typed), yesterday, typed)
  assert.equal(at('anteontem 9h'), '2026-11-21T08:30 2026-11-21T09:30')
})

test('a time range may begin on the day before', () => {
  assert.equal(at('yesterday 00:10'), '2026-11-21T23:40 2026-11-22T00:40')
  assert.equal(at('2026-01-01 12am'), '2025-12-31T23:30 2026-01-01T00:30')
})

test('a time without a day is the most recent such time', () => {
  assert.equal(at('14:30'), '2026-11-23T14:00 2026-11-23T15:00')
  assert.equal(at('5pm'), '2026-11-22T16:30 2026-11-22T17:30')
})

test('a day is the whole day, and without a year the most recent one', () => {
  for (const typed of [
    '20/11',
    '20/11/2026',
    '2026-11-20',
    '20 nov',
    'nov 20',
    '20 de novembro',
    'sexta-feira',
    'Friday',
  ])
    assert.equal(at(typed), '2026-11-20 2026-11-20', typed)
  assert.equal(at('today'), '2026-11-23 2026-11-23')
  assert.equal(at('hoje'), '2026-11-23 2026-11-23')
  assert.equal(at('segunda'), '2026-11-23 2026-11-23')
  assert.equal(at('24/11'), '2025-11-24 2025-11-24')
  assert.equal(at('3 dez'), '2025-12-03 2025-12-03')
  assert.equal(at('29/02/2024'), '2024-02-29 2024-02-29')
})

test('other text gives no time', () => {
  for (const typed of [
    '',
    '1430',
    '0123',
    '+44 20 7946 0018',
    '020 7946 0018',
    'harriet',
    'may',
    'sat',
    '31/02',
    '29/02/2025',
    '20/13',
    '25:00',
    '14:60',
    '13pm',
    'room 14:30',
    '01J9Z3W6T5R8Q2N4M7K1H0G9F8',
    '2026-11-20 nonsense',
    'today yesterday',
  ])
    assert.equal(at(typed), undefined, typed)
})
