import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeCursors } from './cursor.ts'
import { pageByName, pageOf } from './page.ts'
import { Problem } from './problem.ts'
import { paged } from '../testing/test-context.ts'

const cursors = makeCursors(Buffer.alloc(32))
const NAMES = ['a', 'b', 'c', 'd', 'e']
const read = async (after: string, limit: number) => NAMES.filter((name) => name > after).slice(0, limit)
const page = (limit: number, last_key?: string, list: { client_id?: number; search?: string } = {}) => {
  const { client_id = 1, search } = list
  return pageByName(
    cursors,
    { name: 'names', client_id, query: { limit, last_key, search } as never },
    read,
    (name) => name,
  )
}

describe('paged lists', () => {
  it('return each row once, and at most the requested number of rows per page', async () => {
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      const pages = await paged(({ last_key }) => page(limit, last_key))
      assert.ok(pages.every(({ count, data }) => count === data.length && count <= limit))
      const seen = pages.flatMap(({ data }) => data)
      assert.deepEqual(seen, NAMES, `${limit}`)
    }
  })

  it('return no cursor when there are no rows', async () => {
    const asked = { name: 'none', client_id: 'all' as const, query: { limit: 5 } }
    assert.deepEqual(
      await pageOf(
        cursors,
        asked,
        async () => [],
        () => [0] as const,
      ),
      { count: 0, data: [] },
    )
  })

  it('reject the cursor of another client or filter, but accept another page size', async () => {
    const { last_key } = await page(2)
    const isRefused = (error: unknown) => error instanceof Problem && error.code === 'invalid_cursor'
    await assert.rejects(page(2, last_key, { client_id: 2 }), isRefused)
    await assert.rejects(page(2, last_key, { search: 'x' }), isRefused)
    assert.deepEqual((await page(9, last_key)).data, ['c', 'd', 'e'])
  })
})
