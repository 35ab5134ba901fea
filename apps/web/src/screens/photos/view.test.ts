import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIT, getFit, moved, turned, whole, zoomed, getZoom } from './view.ts'

const photo = { width: 4000, height: 3000 }
const frame = { width: 800, height: 500 }

test('a photo fits its frame, also when rotated, and is never enlarged', () => {
  assert.equal(getFit(photo, frame, 0), 500 / 3000)
  assert.equal(getFit(photo, frame, 1), 500 / 4000)
  assert.equal(getFit({ width: 40, height: 30 }, frame, 0), 1)
  assert.equal(getZoom(turned(FIT), photo, frame), 500 / 4000)
})

test('a photo moves only to its edge and zooms around its centre', () => {
  const full = whole(FIT, photo, frame)
  assert.equal(full.zoom, 1)
  const corner = moved(full, -10_000, 10_000, photo, frame)
  assert.deepEqual([corner.x, corner.y], [-1600, 1250])
  const near = zoomed(moved(full, 100, 0, photo, frame), 1, photo, frame)
  assert.deepEqual([near.zoom, near.x], [1.25, 125])
  // A photo that fits cannot be panned.
  assert.deepEqual(moved(FIT, 50, 50, photo, frame), { ...FIT, x: 0, y: 0 })
  let far = full
  for (let i = 0; i < 100; i++) far = zoomed(far, -1, photo, frame)
  assert.equal(far.zoom, 0.02)
})
