import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveColumn, orderedIds, readColumnSettings, getVisibility } from './column-settings.ts'

const ids = ['time', 'parties', 'state']
const settings = readColumnSettings(undefined)

test('invalid stored settings fall back to the default', () => {
  for (const stored of [
    null,
    7,
    [],
    { order: 'x', visible: [], density: 'huge' },
    { order: [1], visible: { a: 1 } },
  ]) {
    assert.deepEqual(readColumnSettings(stored), { order: [], visible: {}, density: 'comfortable' })
  }
})

test('a column moves within the list and not beyond its ends', () => {
  const moved = moveColumn(settings, ids, 'state', -1)
  assert.deepEqual(moved.order, ['time', 'state', 'parties'])
  assert.equal(moveColumn(moved, ids, 'time', -1), moved)
  assert.equal(moveColumn(moved, ids, 'gone', 1), moved)
})

test('new columns go to the end and removed columns are dropped', () => {
  assert.deepEqual(orderedIds([...ids, 'new'], ['state', 'gone', 'time']), [
    'state',
    'time',
    'parties',
    'new',
  ])
})

test('optional columns are hidden until the user selects them', () => {
  const columns = [{ id: 'time' }, { id: 'type', isOptional: true }]
  assert.deepEqual(getVisibility(columns, settings), { time: true, type: false })
  assert.deepEqual(getVisibility(columns, { ...settings, visible: { type: true, time: false } }), {
    time: false,
    type: true,
  })
})
