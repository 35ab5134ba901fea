import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allPages } from './all-pages.ts'

test('allPages reads every page until the last', async () => {
  const asked: (string | undefined)[] = []
  const rows = await allPages(async ({ last_key }) => {
    asked.push(last_key)
    return last_key === undefined ? { count: 2, data: [1, 2], last_key: 'k' } : { count: 1, data: [3] }
  })
  assert.deepEqual(rows, [1, 2, 3])
  assert.deepEqual(asked, [undefined, 'k'])
})

test('allPages stops after 2,000 rows', async () => {
  const endless = await allPages(async () => ({ count: 200, data: Array(200).fill(0), last_key: 'k' }))
  assert.equal(endless.length, 2_000)
})
