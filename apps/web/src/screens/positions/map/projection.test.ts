import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import {
  cameraFor,
  type Line,
  metresPerPixel,
  moved,
  piecesOf,
  scaleOf,
  worldX,
  worldY,
  zoomed,
} from './projection.ts'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { feature } from 'topojson-client'

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

describe('a land ring', () => {
  it('is one piece when it does not cross the date line', () => {
    const ring: Line = [
      [0, 0],
      [10, 0],
      [10, 10],
      [0, 0],
    ]
    assert.deepEqual(piecesOf(ring), [ring])
  })

  it('is split into two pieces when it crosses the date line twice', () => {
    const ring: Line = [
      [170, 60],
      [180, 62],
      [-180, 62],
      [-170, 65],
      [-180, 68],
      [180, 68],
      [170, 70],
      [170, 60],
    ]
    assert.deepEqual(piecesOf(ring), [
      [
        [180, 68],
        [170, 70],
        [170, 60],
        [180, 62],
      ],
      [
        [-180, 62],
        [-170, 65],
        [-180, 68],
      ],
    ])
  })

  it('never gives a piece that would be filled across the map', async () => {
    const file = fileURLToPath(import.meta.resolve('world-atlas/countries-50m.json'))
    const fixture = JSON.parse(await readFile(file, 'utf8')) as Parameters<typeof feature>[0]
    const { land } = fixture.objects as Record<string, never>
    const { features } = feature(fixture, land as never) as unknown as {
      features: { geometry: { type: string; coordinates: never } }[]
    }
    const rings = features.flatMap(({ geometry }) =>
      geometry.type === 'MultiPolygon'
        ? (geometry.coordinates as Line[][]).flat()
        : (geometry.coordinates as Line[]),
    )
    const pieces = rings.flatMap(piecesOf)
    assert.ok(rings.length > 1000 && pieces.length > rings.length)
    for (const piece of pieces) {
      const [[from, south], [to, north]] = [piece[0] ?? [0, 0], piece.at(-1) ?? [0, 0]]
      const isClosed = from === to && south === north
      const isOnSide = Math.abs(from) > 179.5 && Math.abs(to) > 179.5 && from * to > 0
      const isAtBottom = south < -84 && north < -84
      assert.ok(isClosed || isOnSide || isAtBottom, `${from} ${south} to ${to} ${north}`)
    }
  })
})
