import { readFile, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Migration } from 'kysely/migration'
import pg from 'pg'
import { DURABLE, KEEP_ALIVE, START_PATIENCE } from './connect.ts'
import { APP_ROLE, MATTERS_ROLE, STAFF_ROLE } from './pool.ts'

const FOLDER = fileURLToPath(new URL('../../../migrations/', import.meta.url))
/** Any unique number; all processes that start on one database must use it. */
const LOCK = 7_260_211

const UNHURRIED = `${DURABLE}; set statement_timeout = 0; set lock_timeout = 0`

export interface MigrateOptions {
  connection: string
  folder?: string
  /** Makes the roles without running a file: before the restore of a dump, which needs them. */
  rolesOnly?: boolean
  /** Called once per applied file after all are applied. */
  log?: (message: string) => void
}

/**
 * Migrates the database to the newest schema: makes the roles of the program, then runs
 * all new `NNNN_name.sql` in one transaction. Of several starting servers one migrates and the others wait.
 * Each file grants the roles its tables, nothing by default, so that append-only evidence stays so.
 * @returns the names of the applied files. Throws the first failure and rolls back.
 */
export async function migrate({
  connection,
  folder = FOLDER,
  rolesOnly = false,
  log,
}: MigrateOptions): Promise<string[]> {
  // Without a timeout: a large table may take hours to change.
  const pool = new pg.Pool({
    connectionString: connection,
    max: 2,
    application_name: 'custodia migrate',
    ...KEEP_ALIVE,
    connectionTimeoutMillis: START_PATIENCE,
    onConnect: (client: pg.ClientBase) => client.query(UNHURRIED).then(() => undefined),
  })
  // The next statement reports a connection that was lost while idle.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const lock = await pool.connect().catch(async (error: unknown) => {
    await pool.end()
    throw error
  })
  try {
    await lock.query(`select pg_advisory_lock(${LOCK})`)
    for (const role of [APP_ROLE, STAFF_ROLE]) await makeRole(lock, role)
    await makeMattersRole(lock)
    if (rolesOnly) return []
    const files = await readMigrations(folder)
    if (await areApplied(lock, Object.keys(files))) return []
    const applied = await apply(pool, files)
    for (const name of applied) log?.(`applied migration ${name}`)
    return applied
  } finally {
    lock.release(true)
    await pool.end()
  }
}

/** Loads Kysely, a sixth of the code of a start, only when there is something to apply. */
async function apply(pool: pg.Pool, files: Readonly<Record<string, string>>): Promise<string[]> {
  const [{ Kysely, PostgresDialect, sql }, { Migrator }] = await Promise.all([
    import('kysely'),
    import('kysely/migration'),
  ])
  const migrations = Object.entries(files).map(([name, text]): [string, Migration] => [
    name,
    { up: async (db) => void (await sql.raw(text).execute(db)) },
  ])
  const migrator = new Migrator({
    db: new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) }),
    provider: { getMigrations: async () => Object.fromEntries(migrations) },
    migrationTableSchema: 'custodia_migration',
  })
  const { error, results = [] } = await migrator.migrateToLatest()
  const failed = results.find(({ status }) => status === 'Error')
  if (error) throw new Error(`Migration ${failed?.migrationName ?? ''} failed`, { cause: error })
  return results.map(({ migrationName }) => migrationName)
}

/** Whether the database has ever been migrated; a new one has not. */
export async function isMigrated(connection: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: connection, connectionTimeoutMillis: START_PATIENCE })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await hasMigrations(client)
  } finally {
    await client.end()
  }
}

async function hasMigrations(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ is_there: boolean }>(
    `select to_regclass('custodia_migration.kysely_migration') is not null as is_there`,
  )
  return rows[0]?.is_there ?? false
}

/**
 * Whether exactly these files have been applied: the usual start, which skips Kysely's check of every table.
 */
async function areApplied(client: pg.ClientBase, names: readonly string[]): Promise<boolean> {
  if (!(await hasMigrations(client))) return false
  const { rows } = await client.query(`select name from custodia_migration.kysely_migration order by name`)
  return rows.length === names.length && rows.every(({ name }, i) => name === names[i])
}

/** The text of every `NNNN_name.sql` of a folder, by name. Throws on an ambiguous name or number. */
async function readMigrations(folder: string): Promise<Record<string, string>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  const numbers = new Set(files.map((name) => /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]))
  if (numbers.has(undefined) || numbers.size !== files.length)
    throw new Error(`${folder}: every file is NNNN_name.sql with its own number`)
  const texts: Record<string, string> = {}
  for (const file of files) texts[file.replace(/\.sql$/, '')] = await readFile(`${folder}/${file}`, 'utf8')
  return texts
}

/** Makes a role that the user of the program may take up. */
async function makeRole(client: pg.ClientBase, name: string): Promise<void> {
  await createRole(client, name)
  await allowUser(client, name)
}

/** Lets the user of the program take up a role. */
async function allowUser(client: pg.ClientBase, name: string): Promise<void> {
  const member = await client.query(`set role ${name}`).then(
    () => true,
    () => false,
  )
  await client.query(member ? 'reset role' : `grant ${name} to current_user`)
}

/**
 * Makes the role of callers who are limited to legal matters. Its restrictive policies apply to every user who has its
 * rights, so the user of the program takes it up through a role that passes no rights on.
 */
async function makeMattersRole(client: pg.ClientBase): Promise<void> {
  const entry = `${MATTERS_ROLE}_entry`
  await createRole(client, MATTERS_ROLE)
  await createRole(client, entry, 'noinherit')
  await grantRole(client, APP_ROLE, MATTERS_ROLE)
  await grantRole(client, MATTERS_ROLE, entry)
  await allowUser(client, entry)
  const { rows } = await client.query(
    `select rolname from pg_roles where rolname = current_user and not rolsuper and pg_has_role(oid, '${MATTERS_ROLE}', 'usage')`,
  )
  if (rows[0])
    throw new Error(
      `${rows[0].rolname} is limited to legal matters: revoke ${MATTERS_ROLE} from ${rows[0].rolname}`,
    )
}

/** A role belongs to the whole server, so another database's migration may be making it concurrently. */
async function createRole(client: pg.ClientBase, name: string, inheritance = 'inherit'): Promise<void> {
  await client.query(`do $$ begin
    if not exists (select from pg_roles where rolname = '${name}') then
      create role ${name} nologin nosuperuser nocreatedb nocreaterole nobypassrls ${inheritance};
    end if;
  exception when duplicate_object or unique_violation then null;
  end $$`)
  const { rows } = await client.query(
    `select rolsuper or rolbypassrls as mighty from pg_roles where rolname = '${name}'`,
  )
  if (rows[0]?.mighty)
    throw new Error(`Role ${name} may bypass row-level security: alter role ${name} nosuperuser nobypassrls`)
}

/** Makes `member` a member of another of our roles. */
async function grantRole(client: pg.ClientBase, name: string, member: string): Promise<void> {
  const { rows } = await client.query(
    `select exists (select from pg_auth_members where roleid = '${name}'::regrole and member = '${member}'::regrole) as has`,
  )
  if (rows[0]?.has) return
  await client.query(`do $$ begin
    grant ${name} to ${member};
  exception when internal_error or unique_violation then null;
  end $$`)
}

/**
 * Grants the app role all future tables of a schema, for a program that makes its own (the job queue), so
 * that jobs are added in our transactions. Makes the schema if missing. Call it before that program.
 */
export async function openSchemaToApp(client: pg.ClientBase | pg.Pool, schema: string): Promise<void> {
  const name = pg.escapeIdentifier(schema)
  await client.query(`
    create schema if not exists ${name};
    grant usage on schema ${name} to ${APP_ROLE};
    alter default privileges in schema ${name} grant select, insert, update, delete on tables to ${APP_ROLE};
    alter default privileges in schema ${name} grant usage, select on sequences to ${APP_ROLE}`)
}
