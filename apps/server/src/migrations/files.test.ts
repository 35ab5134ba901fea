import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ApiProblem, type Client, makeClient } from '@custodia/client'
import { testServer } from '../testing/server.ts'
import { openSession } from '../testing/alert-fixture.ts'
import { until } from '../testing/waits.ts'
import { dropFolder } from './folder.ts'

const code = (expected: string) => (error: unknown) => error instanceof ApiProblem && error.code === expected
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('the upload of migration files', () => {
  let server: Awaited<ReturnType<typeof testServer>>
  let root: Client
  let folder: string
  before(async () => {
    server = await testServer({}, { hasWorker: true })
    const token = await openSession(server.ctx, {
      client: 'acme',
      user_reference: 'root',
      roles: ['Account Administrator'],
    })
    root = makeClient({ baseUrl: server.url, client: () => 'acme', credentials: async () => ({ token }) })
    folder = dropFolder(server.ctx.config.dataDir, 'acme')
  })
  after(() => server?.close())

  const upload = (filename: string, whole: string, from: number, to: number, digest?: string) =>
    root.uploadMigrationFile({
      body: {
        filename,
        size: Buffer.byteLength(whole),
        offset: from,
        content: Buffer.from(whole).subarray(from, to).toString('base64'),
        ...(digest && { sha256: digest }),
      },
    })
  const listed = async () => {
    const page = await root.listMigrationFiles({ query: {} })
    assert.ok('data' in page)
    return page.data.map(({ filename, received, is_whole }) => `${filename} ${received} ${is_whole}`)
  }
  const USERS = 'UserReference,FirstName\nlegacy-1,One\n'

  it('resumes where it was interrupted', async () => {
    const first = await upload('users.csv', USERS, 0, 10)
    assert.deepEqual([first.received, first.is_whole, first.kind], [10, false, 'DeviceUser'])
    assert.deepEqual(await listed(), ['users.csv 10 false'])
    await assert.rejects(upload('users.csv', USERS, 20, 30), code('changed_meanwhile'))
    assert.equal((await upload('users.csv', USERS, 10, 20)).received, 20)
    assert.equal((await upload('users.csv', USERS, 10, 15)).received, 20)
    const last = await upload('users.csv', USERS, 20, 100, sha256(USERS))
    assert.ok(last.is_whole)
    assert.equal(await readFile(join(folder, 'users.csv'), 'utf8'), USERS)
    assert.deepEqual(await listed(), [`users.csv ${USERS.length} true`])
  })

  it('replaces an interrupted upload with a shorter file', async () => {
    await upload('groups.csv', 'Group\nA long name\n', 0, 17)
    const short = 'Group\nBB\n'
    await upload('groups.csv', short, 0, 3)
    await upload('groups.csv', short, 3, 100)
    assert.equal(await readFile(join(folder, 'groups.csv'), 'utf8'), short)
  })

  it('rejects a wrong checksum, and names that lead outside the folder', async () => {
    await assert.rejects(upload('media/a.bin', 'abc', 0, 3, sha256('abd')), code('wrong_checksum'))
    for (const filename of ['../users.csv', '/etc/passwd', 'media/../../x', 'other/x', 'media/x.part', '.x'])
      await assert.rejects(upload(filename, 'abc', 0, 3), code('invalid_input'), filename)
    await upload('media/file', 'abc', 0, 3)
    await mkdir(join(folder, 'media', 'folder'), { recursive: true })
    for (const filename of [
      'media',
      `media/${'ä'.repeat(126)}`,
      'media/folder',
      'media/file/x',
      'x'.repeat(251),
    ])
      await assert.rejects(upload(filename, 'abc', 0, 3), code('invalid_input'), filename)
    await root.deleteMigrationFile({ query: { filename: 'media/file' } })
    await mkdir(join(folder, 'media'), { recursive: true })
    await writeFile(join(folder, '..', 'secret'), 'secret')
    await symlink(join(folder, '..', 'secret'), join(folder, 'media', 'link.png'))
    assert.ok(!(await listed()).some((each) => each.includes('link')))
  })

  it('deletes incomplete files', async () => {
    await upload('media/b.bin', 'abc', 0, 2)
    await root.deleteMigrationFile({ query: { filename: 'media/b.bin' } })
    await assert.rejects(root.deleteMigrationFile({ query: { filename: 'media/b.bin' } }), code('not_found'))
  })

  it('are imported by the worker, and uploads are refused during a run', async () => {
    const run = await root.createMigration({ body: { is_dry_run: false } })
    const params = { migration_reference: run.migration_reference }
    await until('the run is over', async () => (await root.readMigration({ params })).migrated_at !== null)
    const done = await root.readMigration({ params })
    assert.deepEqual([done.migration_state, done.new_users, done.created_by], ['Migrated', 1, 'root'])
    await assert.rejects(root.retryMigration({ params }), code('wrong_state'))
    await server.sql(
      `insert into migration_runs (client_id, migration_reference, is_dry_run, created_at, created_by, filename)
       select client_id, '01M1GRAT10NRVN000000000009', true, 0, 'x', '' from clients where client = 'acme'`,
    )
    await assert.rejects(upload('users.csv', USERS, 0, 100), code('wrong_state'))
    await assert.rejects(root.createMigration({ body: { is_dry_run: true } }), code('wrong_state'))
  })
})
