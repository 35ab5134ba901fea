import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getDays, PERIOD_UNITS, getPeriod } from './period.ts'

test('a period in months or years is whole days with leap days, and reads back as it was entered', () => {
  assert.deepEqual([getDays(1, 'years'), getDays(5, 'years'), getDays(6, 'months')], [366, 1827, 183])
  for (const unit of PERIOD_UNITS)
    for (let count = 1; count <= (unit === 'years' ? 100 : 30); count++) {
      const read = getPeriod(getDays(count, unit))
      assert.equal(getDays(read.count, read.unit), getDays(count, unit), `${count} ${unit}`)
    }
  assert.deepEqual(getPeriod(1827), { count: 5, unit: 'years' })
  assert.deepEqual(getPeriod(183), { count: 6, unit: 'months' })
  assert.deepEqual(getPeriod(30), { count: 30, unit: 'days' })
  assert.deepEqual(getPeriod(0), { count: 0, unit: 'days' })
})
