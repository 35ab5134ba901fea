import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { forgetOtherUser } from '../../api/kept-session.ts'
import * as module from './review-queue.ts'

const { followers, placeInQueue, setReviewQueue } = module

const stored = new Map<string, string>()
beforeEach(() => {
  stored.clear()
  Object.assign(globalThis, {
    sessionStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    },
  })
})

const listed = (references: readonly string[], listUrl = '/list'): module.ReviewQueue => ({
  references,
  hasMore: false,
  total: undefined,
  service: 'calls',
  search: {},
  listUrl,
})

test('a payload has its previous and next payload and the address of its list', () => {
  const total = { total: 1_500, is_capped: false }
  setReviewQueue({ ...listed(['a', 'b', 'c'], '/dashboard/services/calls?from=-7d'), total })
  assert.deepEqual(placeInQueue('b'), {
    previous: 'a',
    next: 'c',
    hasNext: true,
    position: 2,
    ahead: 1,
    total,
    listUrl: '/dashboard/services/calls?from=-7d',
  })
  assert.equal(placeInQueue('a')?.previous, undefined)
  assert.equal(placeInQueue('c')?.next, undefined)
  assert.equal(placeInQueue('c')?.hasNext, false)
  assert.equal(placeInQueue('elsewhere'), undefined)
})

test('the last loaded row has a next one while the list has more pages', () => {
  setReviewQueue({ ...listed(['a', 'b']), hasMore: true })
  assert.deepEqual(
    placeInQueue('b')?.total,
    { total: 2, is_capped: true },
    'the user left the list before its total was there',
  )
  assert.equal(placeInQueue('b')?.next, undefined)
  assert.equal(placeInQueue('b')?.hasNext, true)
})

test('the total of a list that ends is the number of its rows, also if the user left before it was counted', () => {
  setReviewQueue({ ...listed(['a', 'b']), skipped: 3 })
  assert.deepEqual(placeInQueue('b')?.total, { total: 5 })
})

test('followers stop at the end of the queue', () => {
  setReviewQueue(listed(['a', 'b', 'c']))
  assert.deepEqual(followers('a', 5), ['b', 'c'])
  assert.deepEqual(followers('c', 2), [])
  assert.deepEqual(followers('elsewhere', 2), [])
})

for (const broken of [
  '{',
  '7',
  '{"references":["a"],"listUrl":"/"}',
  JSON.stringify({ ...listed([]), references: [1] }),
  JSON.stringify(listed(['a'], '//evil')),
]) {
  test(`a stored ${broken} counts as no queue`, async () => {
    stored.set('custodia.review_queue', broken)
    const fresh: typeof module = await import(`./review-queue.ts?${encodeURIComponent(broken)}`)
    assert.equal(fresh.placeInQueue('a'), undefined)
  })
}

test('a queue survives a reload, and a long one keeps its last rows and positions', async () => {
  setReviewQueue(listed(Array.from({ length: 5_000 }, (_, i) => `row ${i}`)))
  const reloaded = './review-queue.ts?reloaded'
  const fresh: typeof module = await import(reloaded)
  assert.equal(fresh.placeInQueue('row 0'), undefined)
  assert.equal(fresh.placeInQueue('row 4998')?.position, 4_999)
  assert.equal(fresh.placeInQueue('row 4998')?.next, 'row 4999')
})

test('a queue ends when another user signs in in the tab, and not when the same one does', async () => {
  const placeFor = async (user_reference: string) => {
    forgetOtherUser({ client: 'acme', user_reference })
    const reloaded = `./review-queue.ts?of-${user_reference}`
    const fresh: typeof module = await import(reloaded)
    return fresh.placeInQueue('a')?.listUrl
  }
  forgetOtherUser({ client: 'acme', user_reference: 'alice' })
  setReviewQueue(listed(['a'], '/list?number=4915'))
  assert.equal(await placeFor('alice'), '/list?number=4915')
  assert.equal(await placeFor('bob'), undefined)
})
