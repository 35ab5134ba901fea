import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimReload, RELOAD_GUARD_MS } from './claim.ts'

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
