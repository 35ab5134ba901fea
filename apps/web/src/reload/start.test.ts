import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { loadPart, partRules } from './load-part.ts'
import { BUILD_CHECK_MS, claimReload, RELOAD_GUARD_MS, type ReloadHost, watchForReload } from './start.ts'

let clock = 0
let loads: string[] = []
let target = '/'
let offered: string | undefined
let navigate: (pathChanged: boolean) => void
let resolve: () => void
let poll: () => void
let interval = 0
let failChunk: (wasLost?: boolean) => boolean
let isTyping = false

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
    holdsInput: () => isTyping,
    offeredBuild: async () => offered,
    load: (address) => void loads.push(address),
    every: (milliseconds, task) => {
      interval = milliseconds
      poll = task
    },
    storage: () => storage as Storage,
    now: () => clock,
  }
  isTyping = false
  const fail = watchForReload(host, 'one')
  failChunk = (wasLost = false) => fail(wasLost)
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

test('a part that fails without navigation does not reload, except after a lost connection without unsaved input', () => {
  assert.equal(failChunk(), false)
  navigate(true)
  resolve()
  assert.equal(failChunk(), false)
  isTyping = true
  assert.equal(failChunk(true), false)
  assert.deepEqual(loads, [])
  isTyping = false
  assert.equal(failChunk(true), true)
  assert.deepEqual(loads, ['/'])
})

test('a part waits for the connection, and fails only when the server answers', async () => {
  let isOnline = false
  let attempts = 0
  const reloads: boolean[] = []
  const { promise: online, resolve: connect } = Promise.withResolvers<void>()
  partRules.whenOnline = () => online
  partRules.noteIfLost = async () => !isOnline
  partRules.reload = (_, wasLost) => reloads.push(wasLost) === 0
  const load = async () => {
    attempts++
    if (attempts === 2) isOnline = true
    throw new TypeError('Failed to fetch')
  }
  const part = loadPart('part', load)
  await settled()
  assert.equal(attempts, 0, 'nothing is tried without a connection')
  connect()
  await assert.rejects(part, TypeError)
  assert.deepEqual([attempts, reloads], [2, [true]])
  assert.equal(await loadPart('other', async () => 'loaded'), 'loaded')
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

function memory(): Storage {
  const values = new Map<string, string>()
  return {
    get length() {
      return values.size
    },
    clear: () => values.clear(),
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (key) => values.get(key) ?? null,
    removeItem: (key) => void values.delete(key),
    setItem: (key, value) => void values.set(key, value),
  }
}

test('a path may reload once within the guard time and again afterwards', () => {
  const storage = memory()
  const claim = (path: string, now: number) => claimReload(path, () => storage, now)
  assert.equal(claim('/dashboard', 0), true)
  assert.equal(claim('/dashboard', RELOAD_GUARD_MS - 1), false)
  assert.equal(claim('/dashboard', RELOAD_GUARD_MS), true)
})

test('a refused claim does not prolong the guard', () => {
  const storage = memory()
  claimReload('/a', () => storage, 0)
  claimReload('/a', () => storage, 9_000)
  assert.equal(
    claimReload('/a', () => storage, 10_000),
    true,
  )
})

test('each path has its own guard, and old claims are removed', () => {
  const storage = memory()
  assert.equal(
    claimReload('/a', () => storage, 0),
    true,
  )
  assert.equal(
    claimReload('/b', () => storage, 1),
    true,
  )
  claimReload('/c', () => storage, 20_000)
  assert.deepEqual(Object.keys(JSON.parse(storage.getItem('custodia.reloads') ?? '{}')), ['/c'])
})

test('a reload is refused when the storage throws or is corrupt', () => {
  assert.equal(
    claimReload(
      '/a',
      () => {
        throw new Error('blocked')
      },
      0,
    ),
    false,
  )
  const rubbish = memory()
  rubbish.setItem('custodia.reloads', '{')
  assert.equal(
    claimReload('/a', () => rubbish, 0),
    false,
  )
})
