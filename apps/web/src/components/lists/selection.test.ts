import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_SELECTION, endRange, extendTo, SELECTION_LIMIT, toggleAll, toggleRow } from './selection.ts'

const keys = Array.from({ length: 300 }, (_, index) => `k${index}`)
const picked = (selection: { keys: ReadonlySet<string> }) => [...selection.keys].toSorted()

test('a row is added and removed', () => {
  const once = toggleRow(EMPTY_SELECTION, 3, 'k3')
  assert.deepEqual(picked(once), ['k3'])
  assert.deepEqual(picked(toggleRow(once, 3, 'k3')), [])
})

test('a range grows and shrinks from its anchor and keeps the earlier selection', () => {
  const before = endRange(toggleRow(EMPTY_SELECTION, 9, 'k9'))
  const grown = extendTo(extendTo(before, 2, 3, keys), 3, 4, keys)
  assert.deepEqual(picked(grown), ['k2', 'k3', 'k4', 'k9'])
  assert.deepEqual(picked(extendTo(grown, 4, 3, keys)), ['k2', 'k3', 'k9'])
  assert.deepEqual(picked(extendTo(grown, 4, 1, keys)), ['k1', 'k2', 'k9'])
})

test('the selection never exceeds its limit, and a range is cut at its far end', () => {
  const down = extendTo(EMPTY_SELECTION, 0, 250, keys)
  assert.equal(down.keys.size, SELECTION_LIMIT)
  assert.ok(down.isCut && down.keys.has('k0') && !down.keys.has('k250'))
  const up = extendTo(EMPTY_SELECTION, 250, 0, keys)
  assert.ok(up.keys.has('k250') && !up.keys.has('k0'))
  const full = toggleRow(down, 200, 'k200')
  assert.ok(full.isCut && full.keys.size === SELECTION_LIMIT)
  assert.equal(toggleRow(full, 0, 'k0').isCut, false)
})

test('selecting all takes the first rows up to the limit, and clears when repeated', () => {
  const all = toggleAll(EMPTY_SELECTION, keys)
  assert.equal(all.keys.size, SELECTION_LIMIT)
  assert.ok(all.isCut)
  assert.equal(toggleAll(all, keys).keys.size, 0)
  assert.equal(toggleAll(EMPTY_SELECTION, keys.slice(0, 5)).isCut, false)
  const matching = toggleAll(EMPTY_SELECTION, keys, 252)
  assert.ok(matching.isAll && !matching.isCut)
  assert.equal(toggleAll(EMPTY_SELECTION, keys.slice(0, 5), 5).isAll, undefined, 'each row is on screen')
})
