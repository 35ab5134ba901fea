import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Batcher } from './batcher.ts'
import { DatabaseProblem } from './problem.ts'

/** Work whose batches end on command. */
function heldWork(most = 10) {
  const batches: {
    client_id: number
    items: readonly number[]
    begin: () => void
    fail: (error: unknown) => void
  }[] = []
  const work = new Batcher({
    most,
    getSize: (item: number) => item,
    run: (client_id, items: readonly number[]) =>
      new Promise<string[]>((resolve, reject) => {
        const begin = () => resolve(items.map((item) => `${client_id}/${item}`))
        batches.push({ client_id, items, begin, fail: reject })
      }),
  })
  return { work, batches }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const unavailable = () => new DatabaseProblem('unavailable', null, new Error('gone'))

test('batches the work of a tenant up to the batch size, without delaying other tenants', async () => {
  const { work, batches } = heldWork()
  const first = work.add(1, 1)
  const later = [4, 5, 3, 20, 2].map((item) => work.add(1, item))
  const other = work.add(2, 6)
  batches[1]?.begin()
  assert.equal(await other, '2/6')
  batches[0]?.begin()
  assert.equal(await first, '1/1')
  for (const expected of [[4, 5], [3], [20], [2]]) {
    await turn()
    assert.deepEqual(batches.at(-1)?.items, expected)
    batches.at(-1)?.begin()
  }
  assert.deepEqual(await Promise.all(later), ['1/4', '1/5', '1/3', '1/20', '1/2'])
})

test('fails only the item that causes the failure and continues with later items', async () => {
  const done: number[] = []
  const work = new Batcher({
    most: 100,
    async run(_client_id, items: readonly number[]) {
      await turn()
      if (items.includes(3)) throw new Error('three')
      done.push(...items)
      return items
    },
  })
  const ends = await Promise.allSettled([1, 2, 3, 4, 5, 6].map((item) => work.add(1, item)))
  assert.deepEqual(
    ends.map((end) => (end.status === 'fulfilled' ? end.value : (end.reason as Error).message)),
    [1, 2, 'three', 4, 5, 6],
  )
  assert.equal(await work.add(1, 7), 7)
  assert.deepEqual(done, [1, 2, 4, 5, 6, 7])
})

test('fails all waiting items at once when the database is unavailable, but not later ones', async () => {
  const { work, batches } = heldWork()
  const waiting = [1, 2, 3].map((item) => work.add(1, item))
  batches[0]?.fail(unavailable())
  for (const each of waiting) await assert.rejects(each, DatabaseProblem)
  assert.equal(batches.length, 1)
  const next = work.add(1, 4)
  batches[1]?.begin()
  assert.equal(await next, '1/4')
})
