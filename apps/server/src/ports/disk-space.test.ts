import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { mayMount, smallDisk } from '../testing/daemon.ts'
import { startEmbedded } from './database/embedded.ts'
import { migrate } from './database/migrate.ts'
import { openDatabase } from './database/pool.ts'
import { DatabaseProblem } from './database/problem.ts'
import { diskSpace } from './disk-space.ts'
import { NoRoom } from './objects/port.ts'

const MEGABYTE = 1 << 20

test(
  'grants free disk space above the reserve only once, and again after its release',
  mayMount,
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'custodia-space-'))
    const unmount = smallDisk(folder, 'size=10m')
    t.after(() => {
      unmount()
      rmSync(folder, { recursive: true })
    })
    const space = diskSpace([folder], 2 * MEGABYTE)
    await space.assertRoom()
    const first = await space.take(5 * MEGABYTE)
    await assert.rejects(space.take(4 * MEGABYTE), NoRoom)
    assert.equal(space.reserved(), 5 * MEGABYTE)
    const asked = await Promise.allSettled([space.take(2 * MEGABYTE), space.take(2 * MEGABYTE)])
    assert.ok(asked.filter(({ status }) => status === 'fulfilled').length <= 1, 'not both')
    first()
    first()
    for (const each of asked) if (each.status === 'fulfilled') each.value()
    assert.equal(space.reserved(), 0)
    ;(await space.take(7 * MEGABYTE))()
    await assert.rejects(diskSpace([folder], 11 * MEGABYTE).assertRoom(), NoRoom)
  },
)

test('reports a full PostgreSQL disk as unavailable and works again with free space', mayMount, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'custodia-full-'))
  const unmount = smallDisk(folder, 'size=120m,mode=0711')
  chmodSync(folder, 0o711)
  const server = await startEmbedded({
    dataDir: join(folder, 'pg'),
    log: () => undefined,
    settings: { fsync: 'off', max_wal_size: '32MB' },
  })
  t.after(async () => {
    await server.stop()
    unmount()
    rmSync(folder, { recursive: true })
  })
  await migrate({ connection: server.url })
  const owner = await openDatabase({ connection: server.url, appName: 'full disk test', max: 2 })
  t.after(() => owner.close())
  // Unlogged: so the table finds the disk full, not the log, which PostgreSQL would not survive.
  await owner.owner.query(
    'create unlogged table filler (text text storage external); grant all on filler to custodia_app',
  )
  const fill = owner
    .within(60)
    .globalWrite((tx) =>
      tx.query(`insert into filler select repeat('x', 7000) from generate_series(1, 100000)`),
    )
  await assert.rejects(fill, (error: unknown) => {
    assert.ok(error instanceof DatabaseProblem)
    assert.equal(error.kind, 'unavailable')
    assert.equal((error.cause as { code?: string }).code, '53100')
    return true
  })
  await owner.owner.query('drop table filler')
  await owner.owner.query(`create table refilled as select 'x' as text`)
})
