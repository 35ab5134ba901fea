import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import {
  mapOrigins,
  monitoringOrigins,
  portalMap,
  portalMonitoring,
  readMaps,
  readMonitoring,
} from './monitoring.ts'
import { servePortal } from './portal-files.ts'

const folder = await mkdtemp(join(tmpdir(), 'custodia-portal-'))
after(() => rm(folder, { recursive: true, force: true }))
await writeFile(join(folder, 'index.html'), '<head></head><script nonce="__CSP_NONCE__"></script>')
const pages = [
  { path: '/', scripts: ['assets/landing.js'], texts: { 'en-GB': [], 'pt-BR': [] } },
  {
    path: '/calls/$payload_reference',
    scripts: ['assets/call.js'],
    texts: { 'en-GB': ['assets/en.js'], 'pt-BR': ['assets/pt.js'] },
  },
]
const noTexts = { 'en-GB': [], 'pt-BR': [] }
pages.push({ path: '/calls/new', scripts: ['assets/new.js'], texts: noTexts })
pages.push({ path: '/calls/$payload_reference?tab=audit', scripts: ['assets/audit.js'], texts: noTexts })
await mkdir(join(folder, 'assets'))
await writeFile(join(folder, 'assets/worker.mjs'), '')
await mkdir(join(folder, '.vite'))
await writeFile(join(folder, '.vite/preload.json'), JSON.stringify(pages))

async function ask(
  url: string,
  page: { home: string; monitored?: string[]; mapped?: string[] },
  headers = {},
) {
  const app = Fastify()
  app.decorate('notFoundAnswer', (_request, reply) => reply.code(404).send())
  await servePortal(app, folder, { monitored: [], mapped: [], ...page })
  const answer = await app.inject({ url, headers })
  await app.close()
  return answer
}

test('pages may connect to the configured monitoring endpoint and to no other', async () => {
  const getPolicy = async (monitored: string[]) =>
    String((await ask('/dashboard', { home: '/', monitored })).headers['content-security-policy'])
  assert.match(await getPolicy([]), /; connect-src 'self';/)
  assert.match(await getPolicy(['https://rum.example']), /; connect-src 'self' https:\/\/rum\.example;/)
})

test('a page may load map tiles only where it shows positions and the street map is selected', async () => {
  const getPolicy = async (url: string) =>
    String(
      (await ask(url, { home: '/', mapped: ['https://maps.example'] })).headers['content-security-policy'],
    )
  for (const url of [
    '/dashboard/devices/phone/gps?map=streets',
    '/pt-BR/dashboard/devices?tab=map&map=streets',
    '/dashboard/devices/users/ann?tab=gps&map=streets',
  ])
    assert.match(await getPolicy(url), /; connect-src 'self' https:\/\/maps\.example;/, url)
  for (const url of [
    '/dashboard/devices/phone/gps',
    '/dashboard/devices?map=streets',
    '/dashboard?tab=map&map=streets',
    '/dashboard/services/calls?tab=gps&map=streets',
  ])
    assert.match(await getPolicy(url), /; connect-src 'self';/, url)
  // The worker of the map has the policy of its own file.
  assert.match(await getPolicy('/assets/worker.mjs'), /; connect-src 'self' https:\/\/maps\.example$/)
})

test('the root URL redirects to the configured home page in the requested language', async () => {
  const to = async (url: string, home: string) => {
    const { statusCode, headers } = await ask(url, { home, monitored: [] })
    return [statusCode, headers.location]
  }
  assert.deepEqual(await to('/', '/sign-in'), [302, '/sign-in'])
  assert.deepEqual(await to('/?x', '/sign-in'), [302, '/sign-in'])
  assert.deepEqual(await to('/pt-BR', '/sign-in'), [302, '/pt-BR/sign-in'])
  for (const url of ['/sign-in', '/pt-BR/sign-in', '//evil.example', '/de'])
    assert.deepEqual(await to(url, '/sign-in'), [200, undefined], url)
  assert.deepEqual(await to('/', '/'), [200, undefined])
})

test('a page is compressed for a browser that accepts it', async () => {
  const plain = await ask('/', { home: '/' })
  const packed = await ask('/', { home: '/' }, { 'accept-encoding': 'gzip, br' })
  assert.deepEqual(
    [plain.headers['content-encoding'], packed.headers['content-encoding']],
    [undefined, 'gzip'],
  )
  assert.match(gunzipSync(packed.rawPayload).toString(), /<\/head>/)
})

test('a page preloads its scripts and texts in the selected language only', async () => {
  const named = async (url: string, headers = {}) => {
    const { body } = await ask(url, { home: '/', monitored: [] }, headers)
    return [...body.matchAll(/<link rel="modulepreload" crossorigin href="\/assets\/(\w+)\.js">/g)].map(
      ([, file]) => file,
    )
  }
  assert.deepEqual(await named('/'), ['landing'])
  assert.deepEqual(await named('/pt-BR?x=1'), ['landing'])
  assert.deepEqual(await named('/calls/01K?from=-7d'), ['en', 'call'])
  assert.deepEqual(await named('/calls/new'), ['new'], 'not what stands for any name')
  assert.deepEqual(await named('/calls/01K?x=1&tab=audit'), ['audit'])
  assert.deepEqual(await named('/calls/01K?tab=facts'), ['en', 'call'])
  assert.deepEqual(await named('/pt-BR/calls/01K/'), ['pt', 'call'])
  assert.deepEqual(await named('/calls/01K', { cookie: 'a=b; locale=pt-BR' }), ['pt', 'call'])
  assert.deepEqual(await named('/calls/01K', { 'accept-language': 'pt-PT,en;q=0.5' }), ['pt', 'call'])
  assert.deepEqual(await named('/en-GB/calls/01K', { cookie: 'locale=pt-BR' }), ['en', 'call'])
  for (const url of ['/calls', '/calls/01K/more', '/callsx/1', '/pt-BRx/calls/01K'])
    assert.deepEqual(await named(url), [], url)
})

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
const getConfig = (publicUrl: string) => ({ publicUrl, monitoring: readMonitoring(MONITORING) ?? {} })

test('the profile contains the monitoring of the client, the default, or none', () => {
  const config = getConfig('https://portal.example')
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
  assert.deepEqual(monitoringOrigins(getConfig('https://portal.example')), [
    'https://dataplane.rum.eu-west-2.amazonaws.com',
    'https://rum.acme.example',
    'https://cognito-identity.sa-east-1.amazonaws.com',
    'https://sts.sa-east-1.amazonaws.com',
  ])
  assert.deepEqual(monitoringOrigins({ publicUrl: 'https://portal.example', monitoring: {} }), [])
})

test('nothing is monitored in local mode', () => {
  for (const local of ['http://127.0.0.1:4000', 'http://localhost:4000', 'http://[::1]:4000']) {
    assert.deepEqual(portalMonitoring(getConfig(local), 'acme'), {}, local)
    assert.deepEqual(monitoringOrigins(getConfig(local)), [], local)
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
  acme: { pmtiles: 'https://acme.example/maps/{map_key}.pmtiles', map_key: 'a/b', attribution: 'Acme' },
  globex: null,
})

test('each client has its own map, the default map, or none', () => {
  const maps = readMaps(TEXT)
  assert.ok(maps)
  assert.deepEqual(portalMap({ maps }, 'initech'), {
    map_key: 'k',
    map_source: 'tiles',
    map_address: TILES,
    map_attribution: '© Maps',
  })
  assert.equal(portalMap({ maps }, 'acme').map_source, 'pmtiles')
  assert.deepEqual(portalMap({ maps }, 'globex'), {})
  assert.deepEqual(mapOrigins({ maps }), ['https://maps.example', 'https://acme.example'])
})

test('map settings with an invalid tile URL or invalid JSON are rejected', () => {
  for (const tiles of ['https://maps.example/1.png', 'maps.example/{z}/{x}/{y}', 'https://{z}/{x}/{y}/'])
    assert.equal(readMaps(JSON.stringify({ '*': { tiles, attribution: 'x' } })), undefined, tiles)
  assert.equal(readMaps('{'), undefined)
  const style = 'https://maps.example/style.json'
  assert.ok(readMaps(JSON.stringify({ '*': { style, attribution: 'x' } })))
  for (const both of [{}, { style, pmtiles: style }, { style: 'ftp://maps.example/style.json' }])
    assert.equal(readMaps(JSON.stringify({ '*': { ...both, attribution: 'x' } })), undefined)
})
