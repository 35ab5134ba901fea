import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getConflict, withValuesOf } from './conflict.ts'

const start = {
  name: 'Reviewer',
  alerts: { read: false, write: false },
  rules: [{ action: 'a' }, { action: 'b' }],
  lines: [{ days: 30 }, { days: 60 }, { days: 90 }],
}

test('an edit conflict compares fields within records and fixed lists, and other lists as a whole', () => {
  const mine = {
    ...start,
    alerts: { read: true, write: false },
    rules: [{ action: 'a' }],
    lines: [{ days: 31 }, { days: 60 }, { days: 90 }],
  }
  const theirs = {
    name: 'Auditor',
    alerts: { read: false, write: true },
    rules: [{ action: 'a' }, { action: 'c' }],
    lines: [{ days: 29 }, { days: 61 }, { days: 90 }],
  }
  const found = getConflict(start, mine, { version: '2', draft: theirs }, ['lines'])
  assert.deepEqual(found.taken, ['name', 'alerts.write', 'lines.1.days'])
  assert.deepEqual(found.both, ['rules', 'lines.0.days'])
  assert.deepEqual(withValuesOf(mine, theirs, found.taken), {
    name: 'Auditor',
    alerts: { read: true, write: true },
    rules: [{ action: 'a' }],
    lines: [{ days: 31 }, { days: 61 }, { days: 90 }],
  })
})

test('a value that both users changed alike is no conflict', () => {
  const edited = { ...start, name: 'Auditor' }
  const { taken, both } = getConflict(start, edited, { version: '2', draft: edited })
  assert.deepEqual([taken, both], [[], []])
})
