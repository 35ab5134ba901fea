import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateParameterToEpoch } from '@custodia/contract'
import fc from 'fast-check'
import { dateParameter } from './date-parameter.ts'

test('the server reads the second that was meant', () => {
  assert.equal(dateParameter(0), '1970-01-01-000000')
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
      assert.equal(dateParameterToEpoch(dateParameter(seconds)), seconds)
    }),
  )
})
