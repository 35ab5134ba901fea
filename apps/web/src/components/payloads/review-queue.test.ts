import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import * as module from './review-queue.ts'

const { followers, placeInQueue, setReviewQueue } = module

const stored = new Map<string, string>()
beforeEach(() => {
  stored.clear()
  Object.assign(globalThis, {
    sessionStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    },
  })
})

test('a payload knows its neighbours and the way back', () => {
  setReviewQueue(['a', 'b', 'c'], '/dashboard/services/calls?from=-7d')
  assert.deepEqual(placeInQueue('b'), {
    previous: 'a',
    next: 'c',
    position: 2,
    loaded: 3,
    listUrl: '/dashboard/services/calls?from=-7d',
  })
  assert.equal(placeInQueue('a')?.previous, undefined)
  assert.equal(placeInQueue('c')?.next, undefined)
  assert.equal(placeInQueue('elsewhere'), undefined)
})

test('the followers end with the queue', () => {
  setReviewQueue(['a', 'b', 'c'], '/')
  assert.deepEqual(followers('a', 5), ['b', 'c'])
  assert.deepEqual(followers('c', 2), [])
  assert.deepEqual(followers('elsewhere', 2), [])
})

test('the queue is kept in the storage of the tab', () => {
  setReviewQueue(['a'], '/list')
  assert.deepEqual(JSON.parse(stored.get('custodia.review_queue') ?? ''), {
    references: ['a'],
    listUrl: '/list',
  })
})

for (const broken of [
  '{',
  '7',
  '{"references":[1],"listUrl":"/"}',
  '{"references":["a"],"listUrl":"//evil"}',
]) {
  test(`a stored ${broken} counts as no queue`, async () => {
    stored.set('custodia.review_queue', broken)
    const fresh: typeof module = await import(`./review-queue.ts?${encodeURIComponent(broken)}`)
    assert.equal(fresh.placeInQueue('a'), undefined)
  })
}

test('a queue survives a reload of the tab', async () => {
  stored.set('custodia.review_queue', '{"references":["a","b"],"listUrl":"/list"}')
  const reloaded = './review-queue.ts?reloaded'
  const fresh: typeof module = await import(reloaded)
  assert.equal(fresh.placeInQueue('a')?.next, 'b')
})
