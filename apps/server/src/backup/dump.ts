import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { syncFolder } from '../ports/sync-folder.ts'

/** A copied file as a manifest names it: `path` relative to the copied folder, `sha256` in hex, of the bytes that were copied. */
export interface CopiedFile {
  path: string
  size: number
  sha256: string
}

const CHUNK = 1 << 20

/**
 * Copies a file that may change meanwhile, as far as it reaches, and makes the copy durable. The target must not exist.
 * Throws what the file system says.
 */
export async function copyFile(from: string, to: string): Promise<Omit<CopiedFile, 'path'>> {
  const source = await open(from, 'r')
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    const target = await open(to, 'wx', 0o600)
    try {
      const hash = createHash('sha256')
      const buffer = Buffer.allocUnsafe(CHUNK)
      let size = 0
      for (;;) {
        const { bytesRead } = await source.read(buffer, 0, CHUNK, size)
        if (bytesRead === 0) break
        const chunk = buffer.subarray(0, bytesRead)
        hash.update(chunk)
        await target.writeFile(chunk)
        size += bytesRead
      }
      await target.sync()
      return { size, sha256: hash.digest('hex') }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Copies a file of a backup; throws when it is not what the manifest says. */
export async function copyVerified(
  from: string,
  to: string,
  { path, size, sha256 }: CopiedFile,
): Promise<void> {
  const copied = await copyFile(from, to)
  if (copied.size !== size || copied.sha256 !== sha256)
    throw new Error(`the backup is damaged: ${path} is not what its manifest says`)
}

/** Writes a small file durably; the target must not exist. */
export async function writeDurably(path: string, content: string): Promise<Omit<CopiedFile, 'path'>> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, content, { flag: 'wx', mode: 0o600, flush: true })
  await syncFolder(dirname(path))
  return { size: Buffer.byteLength(content), sha256: createHash('sha256').update(content).digest('hex') }
}

/** Size and digest of a file. */
export async function getDigest(path: string): Promise<Omit<CopiedFile, 'path'>> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    size += chunk.length
  }
  return { size, sha256: hash.digest('hex') }
}

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
  return { kind: 'dump', files: [{ path: FILE, ...(await getDigest(path)) }] }
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
