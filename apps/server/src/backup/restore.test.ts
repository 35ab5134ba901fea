import assert from 'node:assert/strict'
import { chmodSync, cpSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { startEmbedded } from '../ports/database/embedded.ts'
import { removeFolder } from '../testing/daemon.ts'
import { until } from '../testing/waits.ts'
import { baseBackup } from './base-backup.ts'
import { type LogSource, recover } from './restore.ts'

test('recovers the embedded database from a base backup and the archived log, to a time, and later to the end', async () => {
  await using made = new AsyncDisposableStack()
  const top = mkdtempSync(join(tmpdir(), 'custodia-recover-'))
  made.defer(() => removeFolder(top))
  chmodSync(top, 0o711)
  // The shell and PostgreSQL both look at such characters.
  const archive = join(top, `the operator's 100% "archive" $HOME`)
  const dataDir = join(top, 'lost')
  const log = () => undefined
  const server = await startEmbedded({
    dataDir,
    archive,
    log,
    settings: { fsync: 'off', archive_timeout: '0' },
  })
  made.defer(() => server.stop())
  const client = new pg.Client(server.url)
  await client.connect()
  made.defer(() => client.end())
  const write = (n: number) => client.query(`insert into numbers values ($1)`, [n])

  await client.query('create table numbers (n int)')
  await write(1)
  const backup = await baseBackup(server.url, dataDir, join(top, 'backup'))
  await write(2)
  // Whole seconds: of the time that an operator gives.
  const [{ now } = { now: 0 }] = (
    await client.query('select ceil(extract(epoch from clock_timestamp()))::int as now')
  ).rows
  await client.query(`select pg_sleep_until(to_timestamp($1) + interval '50 ms')`, [now])
  await write(3)
  const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name')
  await until('the log to be archived', async () => {
    const archived = `select last_archived_wal >= $1 as is_there from pg_stat_archiver`
    return (await client.query<{ is_there: boolean }>(archived, [rows[0]?.name])).rows[0]?.is_there
  })
  await write(4)

  let copies = 0
  /** What another copy of the backup has after recovery. */
  async function recovered(source: LogSource): Promise<number[]> {
    const copy = join(top, `copy-${++copies}`)
    cpSync(join(top, 'backup'), copy, { recursive: true })
    chmodSync(copy, 0o700)
    await recover(copy, backup, { archive, ...source })
    const again = await startEmbedded({
      dataDir: copy,
      archive,
      log,
      settings: { fsync: 'off', archive_timeout: '0' },
    })
    const reader = new pg.Client(again.url)
    try {
      await reader.connect()
      return (await reader.query<{ n: number }>('select n from numbers order by n')).rows.map(({ n }) => n)
    } finally {
      await reader.end()
      await again.stop()
    }
  }
  assert.deepEqual(await recovered({ until: now }), [1, 2])
  await assert.rejects(
    recovered({ until: now + 3600, timeline: 'current' }),
    /before configured recovery target/,
  )
  assert.deepEqual(await recovered({ timeline: 'current', wal: join(dataDir, 'pg_wal') }), [1, 2, 3, 4])
  // The archive has what both copies wrote: another restore neither misses it nor takes its name.
  assert.deepEqual(await recovered({}), [1, 2, 3, 4])
  assert.deepEqual(
    readdirSync(archive).filter((name) => name.includes('history')),
    ['00000002.history.gz', '00000003.history.gz', '00000004.history.gz'],
  )
})
