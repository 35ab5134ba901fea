import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysOf, PERIOD_UNITS, periodOf } from './period.ts'

test('a period in months or years is whole days with leap days, and reads back as it was entered', () => {
  assert.deepEqual([daysOf(1, 'years'), daysOf(5, 'years'), daysOf(6, 'months')], [366, 1827, 183])
  for (const unit of PERIOD_UNITS)
    for (let count = 1; count <= (unit === 'years' ? 100 : 30); count++) {
      const read = periodOf(daysOf(count, unit))
      assert.equal(daysOf(read.count, read.unit), daysOf(count, unit), `${count} ${unit}`)
    }
  assert.deepEqual(periodOf(1827), { count: 5, unit: 'years' })
  assert.deepEqual(periodOf(183), { count: 6, unit: 'months' })
  assert.deepEqual(periodOf(30), { count: 30, unit: 'days' })
  assert.deepEqual(periodOf(0), { count: 0, unit: 'days' })
})
