import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  mapOrigins,
  monitoringOrigins,
  portalMap,
  portalMonitoring,
  readMaps,
  readMonitoring,
} from './monitoring.ts'

const ID = '0a1b2c3d-0000-4000-8000-1234567890ab'
const MONITORING = JSON.stringify({
  '*': { application_id: ID, region: 'eu-west-2', config: { sessionSampleRate: 0.5 } },
  acme: {
    application_id: ID,
    region: 'sa-east-1',
    config: { endpoint: 'https://rum.acme.example/x', identityPoolId: 'p' },
  },
  globex: null,
})
const configOf = (publicUrl: string) => ({ publicUrl, monitoring: readMonitoring(MONITORING) ?? {} })

test('the profile contains the monitoring of the client, the default, or none', () => {
  const config = configOf('https://portal.example')
  assert.deepEqual(portalMonitoring(config, 'initech'), {
    monitoring_config: '{"sessionSampleRate":0.5}',
    monitoring_application_id: ID,
    monitoring_region: 'eu-west-2',
  })
  assert.equal(portalMonitoring(config, 'acme').monitoring_region, 'sa-east-1')
  assert.deepEqual(portalMonitoring(config, 'globex'), {})
  assert.deepEqual(portalMonitoring(config, 'toString').monitoring_region, 'eu-west-2')
})

test('pages may reach only the configured monitoring endpoints', () => {
  assert.deepEqual(monitoringOrigins(configOf('https://portal.example')), [
    'https://dataplane.rum.eu-west-2.amazonaws.com',
    'https://rum.acme.example',
    'https://cognito-identity.sa-east-1.amazonaws.com',
    'https://sts.sa-east-1.amazonaws.com',
  ])
  assert.deepEqual(monitoringOrigins({ publicUrl: 'https://portal.example', monitoring: {} }), [])
})

test('nothing is monitored in local mode', () => {
  for (const local of ['http://127.0.0.1:4000', 'http://localhost:4000', 'http://[::1]:4000']) {
    assert.deepEqual(portalMonitoring(configOf(local), 'acme'), {}, local)
    assert.deepEqual(monitoringOrigins(configOf(local)), [], local)
  }
})

test('invalid monitoring settings are rejected', () => {
  for (const wrong of [
    'x',
    '[]',
    '{"*":{}}',
    `{"*":{"application_id":"${ID}","region":"eu west"}}`,
    `{"*":{"application_id":"${ID}","region":"eu-west-2","config":{"endpoint":"javascript:x"}}}`,
    `{"*":{"application_id":"${ID}","region":"eu-west-2","config":{"endpoint":7}}}`,
  ])
    assert.equal(readMonitoring(wrong), undefined, wrong)
})

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
