import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ApiProblem, type Client, makeClient } from '@custodia/client'
import { MIGRATION_ERASE_DAYS } from '@custodia/contract'
import { allow, roleInput } from '../testing/access-fixture.ts'
import { testServer } from '../testing/server.ts'
import { openSession } from '../testing/alert-fixture.ts'
import { dropFolder } from './folder.ts'

const code = (expected: string) => (error: unknown) => error instanceof ApiProblem && error.code === expected
const idOf = (n: number) => `01M1GRAT10NRVN00000000000${n}`
const run = (n: number) => ({ params: { migration_reference: idOf(n) } })

describe('migration routes', () => {
  let server: Awaited<ReturnType<typeof testServer>>
  let root: Client
  let globex: Client
  before(async () => {
    server = await testServer()
    const signedIn = async (client: string) => {
      const token = await openSession(server.ctx, {
        client,
        user_reference: 'root',
        roles: ['Account Administrator'],
      })
      return makeClient({ baseUrl: server.url, client: () => client, credentials: async () => ({ token }) })
    }
    root = await signedIn('acme')
    globex = await signedIn('globex')
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
      [idOf(1)],
    )
  })
  after(() => server?.close())

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
      assert.ok('data' in page)
      return page.data.map(({ item }) => item)
    }
    assert.deepEqual(await items({}), ['ann', 'bob', 'cid', 'dan'])
    assert.deepEqual(await items({ result_classes: ['error', 'warning'] }), ['cid', 'dan'])
    assert.deepEqual(await items({ result_types: ['UserCreatedOnboarded'] }), ['ann', 'bob'])
    assert.deepEqual(await items({ result_types: ['UserCreatedOnboarded'], result_classes: ['error'] }), [])
    assert.deepEqual(await items({ search: 'N' }), ['ann', 'dan'])
    const page = await root.listMigrationResults({ ...run(1), query: { result_classes: ['error'] } })
    assert.ok('data' in page)
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
