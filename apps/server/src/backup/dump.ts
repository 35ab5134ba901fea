import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type CopiedFile, digestOf } from './copy-file.ts'

/** A dump by the server's own `pg_dump`, of one snapshot. */
export interface Dump {
  kind: 'dump'
  files: CopiedFile[]
}

const FILE = 'custodia.dump'

/** What the operator has to do before a dump can have the rows of all clients. */
export const BACKUP_ROLE_NEEDED = `Backups need a database role that reads the rows of all clients. Run these statements as a superuser:

  create role custodia_backup login bypassrls password '…';
  grant pg_read_all_data to custodia_backup;

Then set BACKUP_DATABASE_URL to the connection string of that role.`

/** Whether the role of a connection bypasses row-level security. */
export async function readsAllRows(connection: string): Promise<boolean> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ all: boolean }>(
      'select rolsuper or rolbypassrls as all from pg_roles where rolname = current_user',
    )
    return rows[0]?.all ?? false
  } finally {
    await client.end()
  }
}

/**
 * Dumps an outside database into the new folder `target`. Throws when the role does not read all rows, or pg_dump is missing, older
 * than the server, or fails.
 */
export async function dumpDatabase(connection: string, target: string): Promise<Dump> {
  if (!(await readsAllRows(connection))) throw new Error(BACKUP_ROLE_NEEDED)
  await mkdir(target, { recursive: true, mode: 0o700 })
  const path = join(target, FILE)
  await run('pg_dump', ['--format=custom', '--no-owner', `--file=${path}`], connection)
  return { kind: 'dump', files: [{ path: FILE, ...(await digestOf(path)) }] }
}

/** Fills an empty outside database from a dump, as one transaction. The roles must exist already. */
export async function restoreDump(connection: string, folder: string): Promise<void> {
  const options = ['--no-owner', '--single-transaction', '--exit-on-error']
  await run('pg_restore', [...options, join(folder, FILE)], connection)
}

/** Runs a program on a database; the password is in the environment, which hides it from other users. */
async function run(program: string, args: string[], connection: string): Promise<void> {
  const url = new URL(connection)
  const password = decodeURIComponent(url.password)
  url.password = ''
  const env = { ...process.env, ...(password ? { PGPASSWORD: password } : {}) }
  const child = spawn(program, [`--dbname=${url.href}`, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stated = ''
  child.stderr.on('data', (data: Buffer) => (stated = (stated + data.toString()).slice(-4000)))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new Error(`${program} cannot be run: ${error.message}`, { cause: error })),
    )
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`${program} failed (${code}): ${stated.trim()}`)
}
