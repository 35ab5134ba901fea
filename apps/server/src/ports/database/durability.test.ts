import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyDatabase } from '../../testing/database.ts'
import { silentProxy } from '../../testing/silent-proxy.ts'
import { PATIENCE } from './connect.ts'
import { assertDurable } from './durability.ts'

test('waits for a slow database at startup longer than a request would wait', async (t) => {
  const database = await emptyDatabase()
  t.after(() => database.drop())
  const proxy = await silentProxy(database.connection, PATIENCE.connection + 1000)
  t.after(() => proxy.stop())
  const stated: string[] = []
  await assertDurable(proxy.connection, true, (message) => stated.push(message))
  assert.match(stated.join(), /fsync = off/)
})
