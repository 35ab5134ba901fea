import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testDatabase } from '../testing/database.ts'
import { STAFF_READS, WITHOUT_TENANT } from '../verify/protection.ts'

const database = await testDatabase()
after(() => database.drop())

test('row-level security is forced on every table of a tenant', async () => {
  const { rows } = await database.db.owner.query<{ name: string }>(`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'client_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and has_table_privilege('custodia_app', c.oid, 'select, insert, update, delete')
      and not (c.relrowsecurity and c.relforcerowsecurity
        and exists (select from pg_policy p where p.polrelid = c.oid and p.polcmd = '*'))
    order by 1`)
  const open = rows.map((row) => row.name)
  assert.deepEqual(open, WITHOUT_TENANT)
})

// The policy must hold before a function reads a row, so PostgreSQL uses no such index for a condition. A unique index
// also serves `on conflict`.
test('no index of a table with row-level security has the value of a function', async () => {
  const { rows } = await database.db.owner.query(`
    select indexrelid::regclass::text as index from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relrowsecurity and not i.indisunique
      and replace(pg_get_expr(i.indexprs, i.indrelid), 'COALESCE(', '(') ~ '\\w\\('`)
  assert.deepEqual(rows, [])
})

test('provider staff can read a short list of tables across clients, without payloads and activities', async () => {
  const { rows } = await database.db.owner.query<{ name: string }>(`
    select distinct table_name as name from information_schema.column_privileges
    where grantee = 'custodia_staff' and table_schema = 'public' order by 1`)
  assert.deepEqual(
    rows.map((row) => row.name),
    STAFF_READS,
  )
})

for (const [what, table, columns] of [
  [
    'client, state and due time of alert deliveries',
    'alert_deliveries',
    ['client_id', 'delivery_state', 'next_at'],
  ],
  [
    'client, state and due time of address checks',
    'alert_address_checks',
    ['check_state', 'client_id', 'next_at'],
  ],
  ['client and start time of pending payloads', 'payload_work', ['client_id', 'since']],
  ['client and start time of unfinished destructions', 'destruction_intents', ['client_id', 'since']],
] as const)
  test(`provider staff can read only ${what}`, async () => {
    const { rows } = await database.db.owner.query<{ name: string }>(
      `select column_name as name from information_schema.column_privileges
       where grantee = 'custodia_staff' and table_name = $1 order by 1`,
      [table],
    )
    assert.deepEqual(
      rows.map((row) => row.name),
      columns,
    )
  })

test('the application role owns nothing and cannot bypass row-level security', async () => {
  const { rows } = await database.db.owner.query(`
    select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin,
      (select count(*)::int from pg_class where relowner = r.oid) as owned
    from pg_roles r where rolname = 'custodia_app'`)
  const no = {
    rolsuper: false,
    rolbypassrls: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolcanlogin: false,
  }
  assert.deepEqual(rows, [{ ...no, owned: 0 }])
})
