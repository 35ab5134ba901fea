import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Position } from 'geojson'
import { feature } from 'topojson-client'
import { getPieces } from './date-line.ts'

describe('a land ring', () => {
  it('is one piece when it does not cross the date line', () => {
    const ring: Position[] = [
      [0, 0],
      [10, 0],
      [10, 10],
      [0, 0],
    ]
    assert.deepEqual(getPieces(ring), [ring])
  })

  it('is split into two pieces when it crosses the date line twice', () => {
    const ring: Position[] = [
      [170, 60],
      [180, 62],
      [-180, 62],
      [-170, 65],
      [-180, 68],
      [180, 68],
      [170, 70],
      [170, 60],
    ]
    assert.deepEqual(getPieces(ring), [
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
        ? (geometry.coordinates as Position[][][]).flat()
        : (geometry.coordinates as Position[][]),
    )
    const pieces = rings.flatMap(getPieces)
    assert.ok(rings.length > 1000 && pieces.length > rings.length)
    for (const piece of pieces) {
      const [[from = 0, south = 0], [to = 0, north = 0]] = [piece[0] ?? [], piece.at(-1) ?? []]
      const isClosed = from === to && south === north
      const isOnSide = Math.abs(from) > 179.5 && Math.abs(to) > 179.5 && from * to > 0
      const isAtBottom = south < -84 && north < -84
      assert.ok(isClosed || isOnSide || isAtBottom, `${from} ${south} to ${to} ${north}`)
    }
  })
})
