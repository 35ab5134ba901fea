import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { custodia as command } from '../testing/command.ts'
import { mainProcess, removeFolder, reservePort } from '../testing/daemon.ts'
import { testProvider } from '../testing/identity-provider.ts'
import { uploadMessage } from '../testing/phones.ts'
import { requirePart } from '../testing/require-part.ts'
import { debianPostgres, type DebianServer, socketUrl, startDebianServer } from '../testing/streaming-pair.ts'
import { FAST_DATABASE } from '../testing/test-context.ts'

const ROLES = fileURLToPath(new URL('../../../../deploy/database.sql', import.meta.url))

const made = new AsyncDisposableStack()
let outside: DebianServer
let top: string
before(async () => {
  if (!debianPostgres()) return
  outside = startDebianServer()
  made.defer(() => outside.stop())
  top = await mkdtemp(join(tmpdir(), 'custodia-outside-'))
  made.defer(() => removeFolder(top))
})
after(() => made.disposeAsync())

test(
  'backs up an outside PostgreSQL with the roles of deploy/database.sql, none of them a superuser, and restores it into an empty database',
  requirePart('PostgreSQL', debianPostgres() !== undefined),
  async () => {
    const statements = (await readFile(ROLES, 'utf8')).replaceAll(/:'\w+'/g, `'secret'`)
    for (const each of statements.split(';\n')) await outside.sql(each)
    const provider = await testProvider('custodia')
    made.defer(() => provider.close())
    const PORT = String(await reservePort())
    const url = (user: string, database = 'custodia') => socketUrl(outside.folder, { user, database })
    const env = {
      DATABASE_URL: url('custodia'),
      CUSTODIA_DATA: join(top, 'data'),
      PORT,
      PUBLIC_URL: `http://127.0.0.1:${PORT}`,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'custodia',
      ...FAST_DATABASE,
    }
    const custodia = (more: Record<string, string>, ...argv: string[]) =>
      command({ ...env, ...more }, ...argv)
    const succeeds = async (more: Record<string, string>, ...argv: string[]) => {
      const { code, out } = await custodia(more, ...argv)
      assert.equal(code, 0, out)
      return out
    }

    const stated = await succeeds({}, 'bootstrap', '--name=Custodia', '--administrator=dora')
    assert.match(stated, /create role custodia_backup login bypassrls/)
    const tenant = await succeeds(
      {},
      'tenant',
      'create',
      'acme',
      '--name=Acme',
      '--administrator=jane',
      '--json',
    )
    const server = await mainProcess(env)
    try {
      await uploadMessage(JSON.parse(tenant).enrolment)
      const BACKUP_DATABASE_URL = url('custodia_backup')
      const refused = await custodia({}, 'backup', join(top, 'refused'))
      assert.deepEqual([refused.code, /BACKUP_DATABASE_URL/.test(refused.out)], [1, true], refused.out)
      const began = Math.floor(Date.now() / 1000)
      await succeeds({ BACKUP_DATABASE_URL }, 'backup', join(top, 'backup'))
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      const [, ended] = /^custodia_backup_ended_timestamp_seconds (\d+)$/m.exec(metrics) ?? []
      assert.ok(Number(ended) >= began, 'the server says when the newest backup ended')
    } finally {
      await server.daemon.stop()
    }

    /** Restores the newest backup for a database, and opens every object. */
    async function restores(database: string, ...options: string[]): Promise<void> {
      const names = (await readdir(join(top, 'backup'))).filter((name) => /^\d/.test(name))
      const backup = join(top, 'backup', names.toSorted().at(-1) ?? '')
      const restored = { DATABASE_URL: url('custodia', database), CUSTODIA_DATA: join(top, database) }
      await succeeds(restored, 'restore', backup, restored.CUSTODIA_DATA, ...options)
      assert.match(
        await succeeds(restored, 'verify', '--deep'),
        /1 payload of 2 clients, .* [1-9]\d* objects? opened/,
      )
      // A legal hold that is newer than the backup is lost: nothing expires until a person resumes retention.
      const sql = new pg.Client(url('owner', database))
      await sql.connect()
      try {
        const { rows } = await sql.query<{
          is_paused: boolean
          reason: string
          alerts: number
          entries: number
        }>(
          `select is_paused, reason, (select count(*)::int from alerts a where a.client_id = p.client_id and alert_key = 'retention_restored') as alerts,
             (select count(*)::int from portal_activities y where y.client_id = p.client_id and action = 'account.retention:update') as entries
           from retention_pauses p`,
        )
        assert.deepEqual(
          rows.map(({ is_paused, alerts, entries }) => [is_paused, alerts, entries]),
          [
            [true, 2, 1],
            [true, 2, 1],
          ],
        )
        assert.match(rows[0]?.reason ?? '', /^retention_restored 2.*Z$/)
      } finally {
        await sql.end()
      }
    }
    await outside.sql(`create database restored owner custodia encoding 'UTF8' template template0`)
    await restores('restored')

    // As point-in-time recovery would leave it.
    await outside.sql('create database recovered owner custodia template custodia')
    await succeeds({}, 'backup', join(top, 'backup'), '--without-database')
    await restores('recovered', '--without-database')
  },
)
