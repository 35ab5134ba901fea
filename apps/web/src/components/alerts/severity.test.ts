import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsBySeverity, HIGHEST_FIRST } from './severity.ts'

test('counts by severity add up all scopes', () => {
  const rows = [
    { scope: 'ops', severity: 'High', count: 2 },
    { scope: 'sec', severity: 'High', count: 1 },
    { scope: 'ops', severity: 'Low', count: 4 },
  ] as const
  assert.deepEqual(countsBySeverity(rows), { Low: 4, Medium: 0, High: 3 })
})

test('the highest severity comes first', () => assert.deepEqual(HIGHEST_FIRST, ['High', 'Medium', 'Low']))
