import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import pg from 'pg'
import { syncFolder } from '../ports/sync-folder.ts'
import { type CopiedFile, copyFile, type Dump, writeDurably } from './dump.ts'

/** Copies that run at the same time: each waits for its disk, which makes several durable at once. */
const AT_ONCE = 16

/** Runs `work` for each item, a few at a time; the first failure ends it. */
export async function forEachAtOnce<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  let isOver = false
  const lane = async () => {
    while (!isOver) {
      const next = await iterator.next()
      if (next.done) return
      await work(next.value)
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
  } finally {
    isOver = true
    await iterator.return?.()
  }
}

/** A copy of a running cluster's data folder, with the log that makes it consistent. */
export interface BaseBackup {
  kind: 'base'
  system_identifier: string
  server_version: string
  /** First and last file of the log that must be replayed. */
  first_segment: string
  last_segment: string
  /** Files of `database/`; the log is in its `pg_wal/`. */
  files: CopiedFile[]
}

/** Folders that a copy leaves empty, by the manual (Making a Base Backup Using the Low Level API). */
const EMPTIED = [
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]
const LEFT_OUT =
  /(?:^|\/)(?:postmaster\.(?:pid|opts)|current_logfiles|pg_internal\.init.*|pgsql_tmp.*|backup_label.*|recovery\.signal|standby\.signal)$/
const LABEL = 'backup_label'
const CONTROL = 'global/pg_control'
/** Name of a file of the write-ahead log: timeline and number, in hex. */
export const SEGMENT = /^[0-9A-F]{24}$/

/**
 * Copies the running cluster of `connection`, with its files in `dataDir`, into the new folder `target`. The bundled
 * PostgreSQL has no pg_basebackup, so one connection begins and ends the backup, and a temporary slot keeps the log
 * of that time.
 */
export async function baseBackup(connection: string, dataDir: string, target: string): Promise<BaseBackup> {
  const client = new pg.Client({ connectionString: connection, application_name: 'custodia backup' })
  // A lost connection ends the backup; the next statement fails.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const one = async <Row>(text: string): Promise<Row> => (await client.query(text)).rows[0] as Row
    const facts = await one<{ system_identifier: string; server_version: string }>(
      `select system_identifier::text, current_setting('server_version') as server_version from pg_control_system()`,
    )
    await client.query(
      `select pg_create_physical_replication_slot('custodia_backup_' || pg_backend_pid(), true, true)`,
    )
    const { first_segment } = await one<{ first_segment: string }>(
      `select pg_walfile_name(lsn) as first_segment from pg_backup_start('custodia', true) lsn`,
    )
    const files = await copyCluster(dataDir, target)
    const { labelfile, last_segment } = await one<{ labelfile: string; last_segment: string }>(
      'select labelfile, pg_walfile_name(lsn) as last_segment from pg_backup_stop(false)',
    )
    files.push({ path: LABEL, ...(await writeDurably(join(target, LABEL), labelfile)) })
    const range = { first_segment, last_segment }
    files.push(...(await copyLog(join(dataDir, 'pg_wal'), join(target, 'pg_wal'), range)))
    return { kind: 'base', ...facts, ...range, files }
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function copyCluster(dataDir: string, target: string): Promise<CopiedFile[]> {
  const copied: CopiedFile[] = []
  const copy = async (path: string) => {
    try {
      copied.push({ path, ...(await copyFile(join(dataDir, path), join(target, path))) })
    } catch (error) {
      // Tables come and go while we copy; the log knows.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path === CONTROL) throw error
    }
  }
  await forEachAtOnce(
    (await getPaths(dataDir, target)).filter((path) => path !== CONTROL),
    copy,
  )
  await copy(CONTROL)
  return copied
}

/** Paths of the files to copy; their folders are made, also the empty ones. */
async function getPaths(dataDir: string, target: string): Promise<string[]> {
  await mkdir(target, { recursive: true, mode: 0o700 })
  const paths: string[] = []
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    const path = relative(dataDir, join(entry.parentPath, entry.name))
    if (EMPTIED.some((folder) => path.startsWith(`${folder}/`)) || LEFT_OUT.test(path)) continue
    if (entry.isSymbolicLink()) throw new Error(`${path} is a link: tablespaces are not supported`)
    if (entry.isDirectory()) await mkdir(join(target, path), { recursive: true, mode: 0o700 })
    else paths.push(path)
  }
  return paths
}

/** Copies the segments that a consistent start needs; the slot has kept them. Their names sort by time. */
async function copyLog(
  from: string,
  to: string,
  { first_segment, last_segment }: Pick<BaseBackup, 'first_segment' | 'last_segment'>,
): Promise<CopiedFile[]> {
  const copied: CopiedFile[] = []
  for (const name of await readdir(from))
    if (SEGMENT.test(name) && name >= first_segment && name <= last_segment)
      copied.push({ path: `pg_wal/${name}`, ...(await copyFile(join(from, name), join(to, name))) })
  return copied
}

/** What a backup holds. It is written last: a folder without it is no backup. */
export interface Manifest {
  format: 1
  name: string
  /** Epoch seconds. */
  began_at: number
  finished_at: number
  /** Null: other tools back the database up. */
  database: BaseBackup | Dump | null
  /** Lines of `objects.jsonl`: one per object, in the folder `objects` that all backups share. */
  objects: { count: number; size: number; new: number; list: CopiedFile }
  /** Of `<keys>/<name>`, a folder that may lie elsewhere. */
  keys: CopiedFile[]
}

export const OBJECT_LIST = 'objects.jsonl'
const MANIFEST = 'manifest.json'

/** Name of a backup that begins now: sorts by time. */
export const getName = (began_at: number): string =>
  new Date(began_at * 1000).toISOString().slice(0, 19).replaceAll(':', '-')

/** Declares a backup whole. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = join(folder, `${MANIFEST}.part`)
  await writeFile(draft, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(draft, join(folder, MANIFEST))
  await syncFolder(folder)
}

/** Reads the manifest of a backup; throws when the folder is none, or one that was broken off. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) throw new Error(`${folder} is no whole backup: it has no ${MANIFEST}`)
  const manifest = JSON.parse(text) as Manifest
  if (manifest.format !== 1)
    throw new Error(`${folder} was made by another release (format ${manifest.format})`)
  return manifest
}

/** The folder of the newest whole backup in a target; undefined: there is none. */
export async function newestBackup(target: string): Promise<string | undefined> {
  const names = (await readdir(target).catch(() => [])).filter((name) => /^\d{4}-\d\d-\d\dT/.test(name))
  for (const name of names.toSorted().reverse()) {
    const isWhole = await readManifest(join(target, name)).then(
      () => true,
      () => false,
    )
    if (isWhole) return join(target, name)
  }
  return undefined
}
