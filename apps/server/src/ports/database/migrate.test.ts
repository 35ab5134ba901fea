import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, afterEach, beforeEach, test } from 'node:test'
import { testDatabase, type TestDatabase } from '../../testing/database.ts'
import { migrate, openSchemaToApp } from './migrate.ts'

const parent = mkdtempSync(join(tmpdir(), 'custodia-migrate-'))
after(() => rmSync(parent, { recursive: true, force: true }))

let database: TestDatabase
let folder: string
beforeEach(async () => {
  database = await testDatabase()
  // As new: the test ignores the template's own migrations.
  await database.db.owner.query(
    'drop schema public cascade; create schema public; drop schema custodia_migration cascade',
  )
  folder = mkdtempSync(join(parent, 'm-'))
})
afterEach(() => database.drop())

const write = (name: string, sql: string) => writeFileSync(join(folder, name), sql)
const run = () => migrate({ connection: database.connection, folder })
async function tables(): Promise<string[]> {
  const { rows } = await database.db.owner.query(
    `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  )
  return rows.map((row) => row.relname)
}

test('builds the whole schema in an empty database, and a second start applies nothing', async () => {
  const applied = await migrate({ connection: database.connection })
  assert.equal(applied[0], '0001_clients')
  assert.deepEqual(await migrate({ connection: database.connection }), [])
  const open = `select relname from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity
    and not relforcerowsecurity`
  assert.deepEqual((await database.db.owner.query(open)).rows, [])
})

test('applies new migration files in order, logs them, and does nothing without new files', async () => {
  const stated: string[] = []
  const log = (message: string) => stated.push(message)
  write('0002_b.sql', 'alter table a rename to b')
  write('0001_a.sql', 'create table a (); create table other ()')
  assert.deepEqual(await migrate({ connection: database.connection, folder, log }), ['0001_a', '0002_b'])
  assert.deepEqual(await migrate({ connection: database.connection, folder, log }), [])
  assert.deepEqual(stated, ['applied migration 0001_a', 'applied migration 0002_b'])
  write('0003_c.sql', 'create table c ()')
  assert.deepEqual(await run(), ['0003_c'])
  assert.deepEqual(await tables(), ['b', 'c', 'other'])
})

test('leaves the database as it was when a file fails', async () => {
  write('0001_good.sql', 'create table good ()')
  assert.deepEqual(await run(), ['0001_good'])
  write('0002_fine.sql', 'create table fine ()')
  write('0003_bad.sql', 'create table half (); drop table good; select 1/0; create table never ()')
  await assert.rejects(run(), /Migration 0003_bad failed/)
  assert.deepEqual(await tables(), ['good'])
  write('0003_bad.sql', 'create table mended ()')
  assert.deepEqual(await run(), ['0002_fine', '0003_bad'])
  assert.deepEqual(await tables(), ['fine', 'good', 'mended'])
})

test('migrates once when two servers start at the same time', async () => {
  write('0001_a.sql', 'create table a (); select pg_sleep(0.3)')
  write('0002_b.sql', 'create table b (); select pg_sleep(0.3)')
  const code = `
    import { migrate } from ${JSON.stringify(new URL('./migrate.ts', import.meta.url).href)}
    console.log((await migrate(${JSON.stringify({ connection: database.connection, folder })})).join())`
  const start = () =>
    text(
      spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
        .stdout,
    )
  const answers = await Promise.all([start(), start()])
  assert.deepEqual(answers.toSorted(), ['\n', '0001_a,0002_b\n'])
})

test('refuses file names that do not define a clear order', async () => {
  write('0001_a.sql', '')
  write('0001_b.sql', '')
  await assert.rejects(run(), /with its own number/)
  rmSync(join(folder, '0001_b.sql'))
  write('2_c.sql', '')
  await assert.rejects(run(), /NNNN_name\.sql/)
})

test('gives the application role no permission that a file does not grant', async () => {
  write(
    '0001_a.sql',
    'create table closed (); create table open (); grant select on open to custodia_app; grant usage on schema public to custodia_app',
  )
  await run()
  await database.db.global((q) => q.query('select from open'))
  await assert.rejects(
    database.db.global((q) => q.query('select from closed')),
    /permission denied/,
  )
  await assert.rejects(
    database.db.global((q) => q.query('select from custodia_migration.kysely_migration')),
    /permission denied/,
  )
})

test('lets the application use tables that another program creates in an opened schema', async () => {
  await run()
  await openSchemaToApp(database.db.owner, 'jobs')
  await database.db.owner.query('create table jobs.job (id serial, x int)')
  await openSchemaToApp(database.db.owner, 'jobs')
  await database.db.globalWrite((tx) => tx.query('insert into jobs.job (x) values (1)'))
})
