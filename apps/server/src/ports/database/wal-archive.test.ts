import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { until } from '../../testing/until.ts'
import { type EmbeddedDatabase, startEmbedded } from './embedded.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './pool.ts'
import { DatabaseProblem } from './problem.ts'
import { ARCHIVE_NAME, ARCHIVE_SETTINGS, archiveWal, forgetArchive, type WalArchive } from './wal-archive.ts'
import { formatLsn, parseLsn, parseSegment, SEGMENT, segmentName, WalFolder } from './wal-files.ts'

describe('write-ahead log names', () => {
  it('match the segment names and positions of PostgreSQL', () => {
    assert.equal(segmentName(1, parseLsn('0/16B3740')), '000000010000000000000001')
    assert.equal(segmentName(2, parseLsn('1A/FF000001')), '000000020000001A000000FF')
    assert.deepEqual(parseSegment('000000020000001A000000FF'), {
      timeline: 2,
      start: parseLsn('1A/FF000000'),
    })
    assert.equal(parseSegment('00000002.history'), undefined)
    assert.equal(formatLsn(parseLsn('1A/FF000001')), '1A/FF000001')
  })
})

describe('the write-ahead log archive', () => {
  let top: string
  let server: EmbeddedDatabase
  let client: pg.Client
  const errors: unknown[] = []
  before(async () => {
    top = await mkdtemp(join(tmpdir(), 'custodia-archive-'))
    chmodSync(top, 0o711)
    server = await startEmbedded({
      dataDir: join(top, 'pg'),
      log: () => undefined,
      settings: { ...ARCHIVE_SETTINGS, fsync: 'off' },
    })
    client = new pg.Client(server.url)
    await client.connect()
  })
  after(async () => {
    for (const archive of archives) await archive.close()
    await client?.end()
    await server?.stop()
    await rm(top, { recursive: true, force: true })
  })
  const folder = () => join(top, 'archive')
  /** Each is closed at the end, too: one that a failed test left would keep this file from ending. */
  const archives: WalArchive[] = []
  const begin = (at = folder(), onHole?: () => void) => {
    const report = (error: unknown) => errors.push(error)
    const archive = archiveWal({ connection: server.url, folder: at, report, ...(onHole ? { onHole } : {}) })
    archives.push(archive)
    return archive
  }
  /** On a connection that waits for nobody. */
  const asLocal = async (statement: string) => {
    const watcher = new pg.Client({ connectionString: server.url, options: '-c synchronous_commit=local' })
    await watcher.connect()
    const { rows } = await watcher.query(statement).finally(() => watcher.end())
    return rows
  }
  const waits = async () =>
    (await asLocal(`select from pg_stat_activity where wait_event = 'SyncRep'`)).length
  /** The end of what lies in the archive, by its files. */
  const files = async () => {
    const [cluster = ''] = await readdir(folder())
    return (await readdir(join(folder(), cluster))).toSorted()
  }

  it('delays a commit until its log is archived', async () => {
    let isCommitted = false
    const commit = client.query('create table things (thing text)').then(() => (isCommitted = true))
    await until('the commit to wait', waits, (count) => count === 1)
    assert.equal(isCommitted, false)
    const archive = begin()
    await commit
    await archive.close()
    const again = client.query(`insert into things values ('late')`)
    await until('the commit to wait', waits, (count) => count === 1)
    await begin()
      .close()
      .then(() => undefined)
    const more = begin()
    await again
    await more.close()
  })

  it('resumes where it stopped and keeps every segment whole', async () => {
    const archive = begin()
    for (let i = 0; i < 3; i++) {
      await client.query(`insert into things select repeat('x', 1000) from generate_series(1, 2000)`)
      await client.query('select pg_switch_wal()')
    }
    await archive.close()
    const second = begin()
    await client.query(`insert into things values ('end')`)
    await second.close()
    const names = await files()
    assert.ok(names.length >= 3, names.join())
    assert.equal(names.filter((name) => name.endsWith('.partial')).length, 1)
    const starts = names.map((name) => parseSegment(name.slice(0, 24))?.start ?? 0n)
    starts.slice(1).forEach((start, i) => assert.equal(start - (starts[i] ?? 0n), SEGMENT, 'no hole'))
    const [cluster = ''] = await readdir(folder())
    for (const name of names.slice(0, -1))
      assert.equal((await stat(join(folder(), cluster, name))).size, Number(SEGMENT))
  })

  it('prevents commits while it cannot be written', async () => {
    const blocked = join(top, 'blocked')
    await writeFile(blocked, 'a file in its place')
    const archive = begin(blocked)
    const commit = client.query(`insert into things values ('unsafe')`)
    await until(
      'the commit to wait and the failure to be told',
      async () => (await waits()) === 1 && errors.length > 0,
    )
    await archive.close()
    const sound = begin()
    await commit
    await sound.close()
  })

  it('makes a write fail when its confirmation is cancelled, although PostgreSQL reports success', async () => {
    const archive = begin()
    await migrate({ connection: server.url })
    await archive.close()
    const db = await openDatabase({ connection: server.url, appName: 'archive test' })
    const written = db.globalWrite((tx) => tx.query(`insert into signing_keys values ('lonely', '', 0)`))
    written.catch(() => undefined)
    try {
      await until('the commit to wait', waits, (count) => count === 1)
      await asLocal(`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`)
      await assert.rejects(
        written,
        (error: unknown) => error instanceof DatabaseProblem && error.kind === 'unavailable',
      )
    } finally {
      await db.close()
    }
  })

  it('refuses a database that ends before the archive does, and reports it', async () => {
    const [cluster = ''] = await readdir(folder())
    const ahead = join(top, 'ahead')
    await mkdir(join(ahead, cluster), { recursive: true })
    await writeFile(join(ahead, cluster, segmentName(1, parseLsn('FF/0'))), '')
    errors.length = 0
    const archive = begin(ahead)
    await until('the failure to be told', async () => errors.length > 0)
    await archive.close()
    assert.match(String(errors[0]), /up to FF\/1000000, and this database ends at .*: it is an older copy/)
  })

  it('moves aside the log of another restore that used the same timeline number', async () => {
    const [wal, aside] = [join(top, 'restored'), join(top, 'aside')]
    const keep = (content: string) => new WalFolder(wal).keepHistory(2, content, aside)
    const [first, second, third] = [1, 2, 3].map((timeline) => segmentName(timeline, SEGMENT))
    assert.equal(await keep('one'), false)
    for (const name of [first, `${second}.partial`, third, '00000003.history'])
      await writeFile(join(wal, name ?? ''), '')
    assert.equal(await keep('one'), false)
    assert.equal((await readdir(wal)).length, 5)
    assert.equal(await keep('another'), true)
    assert.deepEqual((await readdir(wal)).toSorted(), [first, '00000002.history'].toSorted())
    assert.deepEqual(
      (await readdir(aside)).toSorted(),
      ['00000002.history', '00000003.history', `${second}.partial`, third].toSorted(),
    )
    assert.equal(await keep('another'), false)
  })

  it('reports a gap when it resumes and keeps the log after it', async () => {
    await forgetArchive(server.url)
    // More than the server keeps for nobody; each segment is ended before it is full.
    for (let i = 0; i < 8; i++) {
      await asLocal(`insert into things values ('unseen')`)
      await asLocal('select pg_switch_wal()')
    }
    await asLocal('checkpoint')
    let holes = 0
    const archive = begin(folder(), () => holes++)
    await client.query(`insert into things values ('after')`)
    await archive.close()
    assert.equal(holes, 1)
    const starts = (await files()).flatMap((name) => parseSegment(name.slice(0, 24))?.start ?? [])
    assert.ok(
      starts.some((start, i) => start - (starts[i - 1] ?? start) > SEGMENT),
      'no hole was made',
    )
  })

  it('drops its replication slot when the server no longer archives, so the log cannot grow', async () => {
    const slots = () => client.query('select from pg_replication_slots where slot_name = $1', [ARCHIVE_NAME])
    assert.equal((await slots()).rowCount, 1)
    await until('the stream to end', async () => {
      await forgetArchive(server.url)
      return (await slots()).rowCount === 0
    })
  })
})
