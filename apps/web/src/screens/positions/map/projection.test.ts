import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cameraFor, metresPerPixel, moved, scaleOf, worldX, worldY, zoomed } from './projection.ts'

const near = (a: number, b: number, by = 1e-9) => assert.ok(Math.abs(a - b) < by, `${a} is not ${b}`)

test('the map is a square centred where the equator meets the prime meridian', () => {
  assert.deepEqual([worldX(-180), worldX(0), worldX(180)], [0, 0.5, 1])
  near(worldY(0), 0.5)
  // EPSG:3857 ends at this latitude; coordinates beyond are clamped.
  near(worldY(85.0511287798), 0, 1e-4)
  near(worldY(-90), 1, 1e-4)
})

test('the camera fits its bounds and shows a single place at zoom 16', () => {
  const bounds = { left: worldX(-0.2), right: worldX(0), top: worldY(51.6), bottom: worldY(51.4) }
  const { zoom } = cameraFor(bounds, 800, 600)
  assert.ok((bounds.right - bounds.left) * scaleOf(zoom) <= 800 - 95)
  assert.ok((bounds.bottom - bounds.top) * scaleOf(zoom) <= 600 - 95)
  const place = { left: 0.5, right: 0.5, top: 0.4, bottom: 0.4 }
  assert.equal(cameraFor(place, 800, 600).zoom, 16)
})

test('zooming keeps the point under the pointer within the limits of the map', () => {
  const camera = { x: 0.5, y: 0.4, zoom: 5 }
  const closer = zoomed(camera, 2, 100, -50)
  near(camera.x + 100 / scaleOf(5), closer.x + 100 / scaleOf(7))
  near(camera.y - 50 / scaleOf(5), closer.y - 50 / scaleOf(7))
  assert.equal(zoomed(camera, 100).zoom, 19)
  assert.equal(moved(camera, -1e9, 0).x, 0)
})

test('a pixel at the equator is 156 km wide at zoom 0', () => {
  near(metresPerPixel({ x: 0.5, y: 0.5, zoom: 0 }), 156_543, 1)
})
