import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { migrate } from '../ports/database/migrate.ts'
import { emptyDatabase } from '../testing/database.ts'

const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url))

test('the upgrade gives the provider its own rows for operational alerts and their dismissals', async () => {
  const database = await emptyDatabase()
  const before = await mkdtemp(join(tmpdir(), 'custodia-migrations-'))
  const client = new pg.Client(database.connection)
  try {
    const filter = (path: string) => !path.endsWith('.sql') || /000[12]_/.test(path)
    await cp(MIGRATIONS, before, { recursive: true, filter })
    await migrate({ connection: database.connection, folder: before })
    await client.connect()
    await client.query(`
      insert into clients (client, client_name, account_key, created_at) values ('acme', 'Acme', '', 0);
      insert into alerts (client_id, alert_reference, alert_scope, alert_type, alert_subject, alert_key, alert_message, alert_severity,
        alert_state, first_occurrence, last_occurrence) values
        (1, '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ops', 'DeviceAlert', 's', 'k', 'm', 'Low', 'Cleared', 1, 2),
        (1, '01ARZ3NDEKTSV4RRFFQ69G5FAW', 'sec', 'PayloadAlert', 's', 'k', 'm', 'Low', 'Triggered', 1, 2),
        (1, '01ARZ3NDEKTSV4RRFFQ69G5FAX', 'ops', 'Notification', 's', 'n', 'm', 'Low', 'Triggered', 1, 2);
      insert into alert_dismissals values
        (1, '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'dave (provider)', 1), (1, '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'alice', 1)`)
    await migrate({ connection: database.connection })
    const { rows } = await client.query(
      `select alert_target, alert_scope, alert_key, alert_state, portal_user from alerts a
       left join alert_dismissals d using (client_id, alert_reference) order by 1, 2, 3`,
    )
    assert.deepEqual(rows.map(Object.values), [
      ['admin', 'ops', 'k', 'Cleared', 'dave (provider)'],
      ['client', 'ops', 'k', 'Cleared', 'alice'],
      ['client', 'ops', 'n', 'Triggered', null],
      ['client', 'sec', 'k', 'Triggered', null],
    ])
  } finally {
    await client.end()
    await rm(before, { recursive: true, force: true })
    await database.drop()
  }
})
