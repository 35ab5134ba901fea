import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it, mock, test } from 'node:test'
import { ApiProblem, type Client, makeClient } from '@custodia/client'
import { MIGRATION_ERASE_DAYS, type MigrationResult } from '@custodia/contract'
import { migration } from '@custodia/domain'
import { allow, roleInput } from '../testing/access-fixture.ts'
import { openSession } from '../testing/alert-fixture.ts'
import { testServer } from '../testing/server.ts'
import { until } from '../testing/waits.ts'
import { dropFolder, resultLine, RESULTS_HEADING } from './folder.ts'

const code = (expected: string) => (error: unknown) => error instanceof ApiProblem && error.code === expected
const getId = (n: number) => `01M1GRAT10NRVN00000000000${n}`
const run = (n: number) => ({ params: { migration_reference: getId(n) } })

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const server = await testServer({}, { hasWorker: true })
after(() => server.close())
const signedIn = async (client: string) => {
  const token = await openSession(server.ctx, {
    client,
    user_reference: 'root',
    roles: ['Account Administrator'],
  })
  return makeClient({ baseUrl: server.url, client: () => client, credentials: async () => ({ token }) })
}
const root = await signedIn('acme')
const globex = await signedIn('globex')

describe('the upload of migration files', () => {
  let folder: string
  before(() => {
    folder = dropFolder(server.ctx.config.dataDir, 'acme')
  })

  const upload = (filename: string, whole: string, from: number, to: number, digest = sha256(whole)) =>
    root.uploadMigrationFile({
      body: {
        filename,
        size: Buffer.byteLength(whole),
        offset: from,
        content: Buffer.from(whole).subarray(from, to).toString('base64'),
        sha256: digest,
      },
    })
  const listed = async () => {
    const page = await root.listMigrationFiles({})
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
    const last = await upload('users.csv', USERS, 20, 100)
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

  it('stores all bytes of a part when the disk takes some of them', async () => {
    const file = await open(folder)
    const { write } = file
    const some = function (this: FileHandle, bytes: Uint8Array, from = 0, length = 0, at = 0) {
      return Reflect.apply(write, this, [bytes, from, Math.min(length, 4), at])
    }
    const writes = mock.method(Object.getPrototypeOf(file) as FileHandle, 'write', some as typeof write)
    try {
      await upload('media/short.bin', 'abcdefghij', 0, 10)
    } finally {
      writes.mock.restore()
      await file.close()
    }
    assert.equal(await readFile(join(folder, 'media/short.bin'), 'utf8'), 'abcdefghij')
    await root.deleteMigrationFile({ query: { filename: 'media/short.bin' } })
  })

  it('rejects a wrong checksum, and names that lead outside the folder', async () => {
    await assert.rejects(upload('media/a.bin', 'abc', 0, 3, sha256('abd')), code('wrong_checksum'))
    // Two people upload different files of one name.
    await upload('media/a.bin', 'aaaa', 0, 2)
    await upload('media/a.bin', 'bbbb', 0, 2)
    await assert.rejects(upload('media/a.bin', 'aaaa', 2, 4), code('wrong_checksum'))
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

describe('migration routes', () => {
  before(async () => {
    await server.sql('delete from migration_results; delete from migration_files; delete from migration_runs')
    await server.sql(
      `insert into migration_runs (client_id, migration_reference, migration_state, is_dry_run, created_at, created_by, migrated_at, filename, totals, results)
       select client_id, '01M1GRAT10NRVN00000000000' || n, state, n = 1, n * 86400, 'alice', n * 86400 + 1, 'users.csv',
         '{"DeviceUser": 3}', '{"UserCreatedOnboarded": {"count": 2, "items": ["ann", "bob"]}, "Error": {"count": 1, "items": ["cid"]}}'
       from clients, (values (1, 'PartialFail'), (2, 'Migrated'), (3, 'Failed')) v (n, state) where client = 'acme'`,
    )
    await server.sql(
      `insert into migration_results (client_id, migration_reference, sequence, result_type, kind, item, filename, line, faults)
       select client_id, $1, n, type, 'DeviceUser', item, 'users.csv', n + 1,
         case type when 'Error' then '[{"path":"FirstName","code":"required","message":"It is required.","values":{"field":"FirstName"}}]'::jsonb else '[]' end
       from clients, (values (1, 'UserCreatedOnboarded', 'ann'), (2, 'UserCreatedOnboarded', 'bob'), (3, 'Error', 'cid'),
         (4, 'IgnoreOnboardingMigrationDisabled', 'dan')) v (n, type, item) where client = 'acme'`,
      [getId(1)],
    )
  })

  it('return settings that import everything, until an administrator changes them', async () => {
    const first = await root.readMigrationSettings({})
    assert.deepEqual(
      [first.disable_onboarding, first.disable_offboarding, first.disable_payloads, first.erase_after_days],
      [false, false, false, MIGRATION_ERASE_DAYS],
    )
    assert.equal(first.updated_at, null)
    const body = {
      disable_onboarding: true,
      disable_offboarding: false,
      disable_payloads: true,
      erase_after_days: 7,
    }
    const saved = await root.saveMigrationSettings({ body })
    assert.deepEqual(
      [saved.disable_onboarding, saved.disable_offboarding, saved.disable_payloads, saved.updated_by],
      [true, false, true, 'root'],
    )
    const { erase_after_days: _, ...switches } = body
    const again = await root.saveMigrationSettings({ body: switches })
    assert.equal(again.erase_after_days, 7, 'omitted days stay')
    const theirs = await globex.readMigrationSettings({})
    assert.equal(theirs.disable_payloads, false)
  })

  it('list the client’s own runs newest first, by state and dry run, in pages', async () => {
    const listed = async (query: Parameters<Client['listMigrations']>[0]['query']) => {
      const page = await root.listMigrations({ query })
      assert.ok('data' in page)
      return page
    }
    const ids = ({ data }: { data: readonly { migration_reference: string }[] }) =>
      data.map(({ migration_reference }) => Number(migration_reference.at(-1)))
    assert.deepEqual(ids(await listed({})), [3, 2, 1])
    assert.deepEqual(ids(await listed({ migration_states: ['Migrated', 'Failed'] })), [3, 2])
    assert.deepEqual(ids(await listed({ is_dry_run: 'true' as unknown as boolean })), [1])
    const first = await listed({ limit: 2 as never })
    assert.deepEqual(ids(first), [3, 2])
    assert.deepEqual(ids(await listed({ limit: 2 as never, last_key: first.last_key })), [1])
    assert.deepEqual(await root.listMigrations({ query: { type: 'total' } }), { total: 3 })
    assert.deepEqual(await globex.listMigrations({ query: { type: 'total' } }), { total: 0 })
    await assert.rejects(globex.readMigration(run(1)), code('not_found'))
    await assert.rejects(globex.retryMigration(run(1)), code('not_found'))
    await assert.rejects(globex.listMigrationResults(run(1)), code('not_found'))
  })

  it('count the results of a run by type and class', async () => {
    const one = await root.readMigration(run(1))
    assert.deepEqual(
      [one.total_users, one.new_users, one.errors, one.warnings, one.successes],
      [3, 2, 1, 0, 2],
    )
    assert.deepEqual(one.import_errors, [{ result_type: 'Error', count: 1, items: ['cid'] }])
    assert.deepEqual(one.imported, [{ result_type: 'UserCreatedOnboarded', count: 2, items: ['ann', 'bob'] }])
  })

  it('list results by type, class and name', async () => {
    const items = async (query: object) => {
      const page = await root.listMigrationResults({ ...run(1), query })
      return page.data.map(({ item }) => item)
    }
    assert.deepEqual(await items({}), ['ann', 'bob', 'cid', 'dan'])
    assert.deepEqual(await items({ result_classes: ['error', 'warning'] }), ['cid', 'dan'])
    assert.deepEqual(await items({ result_types: ['UserCreatedOnboarded'] }), ['ann', 'bob'])
    assert.deepEqual(await items({ result_types: ['UserCreatedOnboarded'], result_classes: ['error'] }), [])
    assert.deepEqual(await items({ search: 'N' }), ['ann', 'dan'])
    const page = await root.listMigrationResults({ ...run(1), query: { result_classes: ['error'] } })
    assert.equal(page.data[0]?.faults[0]?.code, 'required')
  })

  it('start a run only for users who may do in every group what its rows do', async () => {
    await server.sql(
      `insert into roles select client_id, 'Importer', $1, 0, 'test' from clients where client = 'acme'`,
      [{ role_reference: 'Importer', ...roleInput([allow('migrations:*', 'profile:*')]), is_system: false }],
    )
    await server.sql(
      `insert into roles select client_id, 'Keeper', $1, 0, 'test' from clients where client = 'acme'`,
      [
        {
          role_reference: 'Keeper',
          ...roleInput([
            allow('migrations:*', 'groups:*', 'users:*', 'profile:*'),
            { ...allow('payloads:*'), conditions: [{ names_matching: ['North'] }] },
          ]),
          is_system: false,
        },
      ],
    )
    await server.sql(`update clients set access_epoch = access_epoch + 1 where client = 'acme'`)
    const start = async (...roles: string[]) => {
      const token = await openSession(server.ctx, { client: 'acme', user_reference: roles.join(), roles })
      const api = makeClient({
        baseUrl: server.url,
        client: () => 'acme',
        credentials: async () => ({ token }),
      })
      return api.createMigration({ body: { is_dry_run: false } })
    }
    await mkdir(dropFolder(server.ctx.config.dataDir, 'acme'), { recursive: true })
    await writeFile(join(dropFolder(server.ctx.config.dataDir, 'acme'), 'groups.csv'), 'Group\nNew\n')
    await assert.rejects(start('Importer'), code('not_permitted'))
    // A move into North would grant access to what is recorded there.
    await assert.rejects(start('Keeper'), code('escalation'))
    await start('Account Administrator')
    assert.deepEqual(await server.sql(`select from alerts where alert_key like 'escalation%'`), [])
  })
})

const RESULT: MigrationResult = {
  sequence: 1,
  result_type: 'Error',
  result_class: 'error',
  kind: 'Payload',
  item: 'L1',
  filename: 'payloads.csv',
  line: 2,
  payload_reference: null,
  faults: [],
}
async function* whole(text: string) {
  yield text
}

test('the results CSV contains no formulas, and no cell breaks its row', async () => {
  for (const begin of ['=', '+', '-', '@', '\t', '\r', '\n', '＝'])
    for (const rest of ['cmd|"/c calc"!A1', '1+1,2', 'a\r\nb']) {
      const hostile = begin + rest
      const fault = { path: hostile, code: 'invalid' as const, message: 'is "wrong"' }
      const line = resultLine({ ...RESULT, item: hostile, filename: hostile, faults: [fault] })
      const rows = []
      for await (const { cells } of migration.csvLines(whole(`${RESULTS_HEADING}\n${line}\n`)))
        rows.push(cells)
      const [heading = [], row = [], ...others] = rows
      assert.deepEqual(others, [])
      assert.equal(row.length, heading.length)
      for (const cell of row) assert.doesNotMatch(cell, /^[=+\-@\t\r\n＝]/)
      assert.equal(row[heading.indexOf('item')], `'${hostile}`)
      assert.equal(row[heading.indexOf('faults')], `'${hostile}: is "wrong"`)
    }
})
