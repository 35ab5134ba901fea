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

test('the upgrade turns verified numbers without a code into reports and marks contested numbers', async () => {
  const database = await emptyDatabase()
  const before = await mkdtemp(join(tmpdir(), 'custodia-migrations-'))
  const client = new pg.Client(database.connection)
  try {
    const filter = (path: string) => !path.endsWith('.sql') || /00(?:[01]\d|2[0-8])_/.test(path)
    await cp(MIGRATIONS, before, { recursive: true, filter })
    await migrate({ connection: database.connection, folder: before })
    await client.connect()
    const number = (phone_number: string, first_verified: number, last_verified: number, slot_index = 0) => ({
      phone_number,
      first_verified,
      last_verified,
      slot_index,
    })
    const phones = {
      // Has one, had another one in the same place, and one that it proved in the second.
      both: [number('+441', 20, 90), number('+442', 10, 19), number('+443', 30, 60, 1)],
      // Says what the first one says, for a shorter time and now.
      also: [number('+441', 40, 50), number('+444', 40, 80, 1)],
      // Said it before anybody else.
      early: [number('+449', 7, 9), number('+441', 5, 6)],
      none: [],
    }
    await client.query(`
      insert into clients (client, client_name, account_key, created_at) values ('acme', 'Acme', '', 0);
      insert into groups (client_id, group_reference, updated_at, updated_by) values (1, 'North', 0, 'test')`)
    for (const [reference, numbers] of Object.entries(phones))
      await client.query(
        `insert into devices (client_id, device_reference, group_id, phone_numbers, updated_at, updated_by) values (1, $1, 1, $2, 0, 'test')`,
        [reference, JSON.stringify(numbers)],
      )
    await client.query(
      `insert into phone_verifications values ('a', 1, 1, 60, 55, '+443'), ('b', 1, 1, 60, null, '+441')`,
    )
    await migrate({ connection: database.connection })
    const { rows } = await client.query(
      `select device_reference, phone_number, from_at, to_at, last_reported, first_verified, is_contested
       from device_numbers join devices using (client_id, device_id) order by device_id, phone_number`,
    )
    assert.deepEqual(
      rows.map((row) =>
        Object.values(row).map((value) =>
          typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
        ),
      ),
      [
        ['both', '+441', 20, null, 90, null, false],
        ['both', '+442', 10, 19, 19, null, false],
        ['both', '+443', 30, null, 60, 55, false],
        ['also', '+441', 40, null, 50, null, true],
        ['also', '+444', 40, null, 80, null, false],
        ['early', '+441', 5, 6, 6, null, false],
        ['early', '+449', 7, null, 9, null, false],
      ],
    )
  } finally {
    await client.end()
    await rm(before, { recursive: true, force: true })
    await database.drop()
  }
})
