import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveColumn, orderedIds, readColumnSettings, visibilityOf } from './column-settings.ts'

const ids = ['time', 'parties', 'state']
const settings = readColumnSettings(undefined)

test('stored nonsense falls back to the default', () => {
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

test('a column moves and stays inside', () => {
  const moved = moveColumn(settings, ids, 'state', -1)
  assert.deepEqual(moved.order, ['time', 'state', 'parties'])
  assert.equal(moveColumn(moved, ids, 'time', -1), moved)
  assert.equal(moveColumn(moved, ids, 'gone', 1), moved)
})

test('columns that came later stand at the end, those that went are forgotten', () => {
  assert.deepEqual(orderedIds([...ids, 'new'], ['state', 'gone', 'time']), [
    'state',
    'time',
    'parties',
    'new',
  ])
})

test('optional columns wait until they are chosen', () => {
  const columns = [{ id: 'time' }, { id: 'type', isOptional: true }]
  assert.deepEqual(visibilityOf(columns, settings), { time: true, type: false })
  assert.deepEqual(visibilityOf(columns, { ...settings, visible: { type: true, time: false } }), {
    time: false,
    type: true,
  })
})
