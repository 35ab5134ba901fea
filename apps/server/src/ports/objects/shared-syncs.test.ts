import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedSyncs } from './filesystem.ts'

/** Syncs that end on the test's command. */
function held() {
  const under: { folder: string; end: PromiseWithResolvers<void> }[] = []
  const sync = sharedSyncs((folder) => {
    const end = Promise.withResolvers<void>()
    under.push({ folder, end })
    return end.promise
  })
  return { under, sync }
}
const turn = () => new Promise(setImmediate)

test('requests during a sync share the next sync, never the one under way', async () => {
  const { under, sync } = held()
  const ended: string[] = []
  const asks = ['first', 'second', 'third'].map((name) => sync('a').then(() => ended.push(name)))
  const other = sync('b')
  assert.deepEqual(
    under.map(({ folder }) => folder),
    ['a', 'b'],
  )
  under[1]?.end.resolve()
  await other
  under[0]?.end.resolve()
  await turn()
  assert.deepEqual(ended, ['first'])
  const late = sync('a')
  assert.equal(under.length, 3)
  under[2]?.end.resolve()
  await turn()
  assert.deepEqual(ended, ['first', 'second', 'third'])
  under[3]?.end.resolve()
  await Promise.all([...asks, late])
  assert.equal(under.length, 4)
})

test('a failed sync fails only the requests that share it', async () => {
  const { under, sync } = held()
  const first = sync('a')
  const shared = [sync('a'), sync('a')]
  under[0]?.end.reject(new Error('EIO'))
  await assert.rejects(first, /EIO/)
  await turn()
  under[1]?.end.reject(new Error('EIO again'))
  for (const each of shared) await assert.rejects(each, /again/)
  await turn()
  const after = sync('a')
  under[2]?.end.resolve()
  await after
})
