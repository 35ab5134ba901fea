import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { BUILD_CHECK_MS, watchForReload, type ReloadHost } from './start.ts'

let clock = 0
let loads: string[] = []
let target = '/'
let offered: string | undefined
let navigate: (pathChanged: boolean) => void
let resolve: () => void
let poll: () => void
let interval = 0
let failChunk: () => boolean

beforeEach(() => {
  clock = 0
  loads = []
  target = '/'
  offered = 'one'
  const values = new Map<string, string>()
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  }
  const host: ReloadHost = {
    target: () => target,
    onBeforeNavigate: (listener) => void (navigate = listener),
    onResolved: (listener) => void (resolve = listener),
    offeredBuild: async () => offered,
    load: (address) => void loads.push(address),
    every: (milliseconds, task) => {
      interval = milliseconds
      poll = task
    },
    storage: () => storage as Storage,
    now: () => clock,
  }
  failChunk = watchForReload(host, 'one')
})

const settled = () => new Promise((done) => setImmediate(done))

test('a chunk failure during navigation reloads the target with search and locale prefix', () => {
  target = '/pt-BR/dashboard/services/calls?types=Call'
  navigate(true)
  assert.equal(failChunk(), true)
  assert.deepEqual(loads, ['/pt-BR/dashboard/services/calls?types=Call'])
})

test('a chunk that stays broken is not reloaded again within 10 seconds', () => {
  target = '/a?x=1'
  navigate(true)
  failChunk()
  target = '/a?x=2'
  clock = 9_999
  assert.equal(failChunk(), false)
  clock = 10_000
  assert.equal(failChunk(), true)
  assert.equal(loads.length, 2)
})

test('a preload failure without navigation does not reload', () => {
  assert.equal(failChunk(), false)
  navigate(true)
  resolve()
  assert.equal(failChunk(), false)
  assert.deepEqual(loads, [])
})

test('a new build loads at the next change of path', async () => {
  assert.equal(interval, BUILD_CHECK_MS)
  offered = 'two'
  poll()
  await settled()
  assert.deepEqual(loads, [])
  target = '/here?page=2'
  navigate(false)
  assert.deepEqual(loads, [])
  target = '/there'
  navigate(true)
  assert.deepEqual(loads, ['/there'])
})

test('the same or an unknown build does not reload', async () => {
  poll()
  await settled()
  offered = undefined
  poll()
  await settled()
  navigate(true)
  assert.deepEqual(loads, [])
})
