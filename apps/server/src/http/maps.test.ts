import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapOrigins, portalMap, readMaps } from './maps.ts'

const TILES = 'https://maps.example/{z}/{x}/{y}.png?key={map_key}'
const TEXT = JSON.stringify({
  '*': { tiles: TILES, map_key: 'k', attribution: '© Maps' },
  acme: { tiles: 'https://acme.example/{z}/{x}/{y}', attribution: 'Acme' },
  globex: null,
})

test('each client has its own map, the default map, or none', () => {
  const maps = readMaps(TEXT)
  assert.ok(maps)
  assert.deepEqual(portalMap({ maps }, 'initech'), {
    map_key: 'k',
    map_tiles: TILES,
    map_attribution: '© Maps',
  })
  assert.equal(portalMap({ maps }, 'acme').map_key, undefined)
  assert.deepEqual(portalMap({ maps }, 'globex'), {})
  assert.deepEqual(mapOrigins({ maps }), ['https://maps.example', 'https://acme.example'])
})

test('map settings with an invalid tile URL or invalid JSON are rejected', () => {
  for (const tiles of ['https://maps.example/1.png', 'maps.example/{z}/{x}/{y}', 'https://{z}/{x}/{y}/'])
    assert.equal(readMaps(JSON.stringify({ '*': { tiles, attribution: 'x' } })), undefined, tiles)
  assert.equal(readMaps('{'), undefined)
})
