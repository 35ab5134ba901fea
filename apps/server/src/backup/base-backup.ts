import { mkdir, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import pg from 'pg'
import { parseLsn, parseSegment, readHistory, SEGMENT, segmentName } from '../ports/database/wal-files.ts'
import { copyFile, type CopiedFile, writeDurably } from './copy-file.ts'
import { eachOf } from './each-of.ts'

/** A copy of a running cluster's data folder, with the log that makes it consistent. */
export interface BaseBackup {
  kind: 'base'
  system_identifier: string
  server_version: string
  timeline: number
  /** From where that timeline comes, which tells it from another one with its number; the first comes from nowhere. */
  history?: string | undefined
  /** From where and at least to where the log must be replayed. */
  start_lsn: string
  stop_lsn: string
  /** Of `database/`; the log lies in its `pg_wal/`. */
  files: CopiedFile[]
}

/** What a copy leaves out, as the manual says (Making a Base Backup Using the Low Level API): other servers' state, and what is made anew. */
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

/**
 * Copies the running cluster of `connection`, whose files lie in `dataDir`, into the new folder `target`. The bundled PostgreSQL brings no
 * pg_basebackup, so this is the manual's low-level way: one connection begins and ends the backup, a temporary slot keeps the
 * log of the time between.
 */
export async function baseBackup(connection: string, dataDir: string, target: string): Promise<BaseBackup> {
  const client = new pg.Client({ connectionString: connection, application_name: 'custodia backup' })
  // A lost connection ends the backup by itself; the next statement tells.
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
    const { start_lsn, first } = await one<{ start_lsn: string; first: string }>(
      `select lsn::text as start_lsn, pg_walfile_name(lsn) as first from pg_backup_start('custodia', true) lsn`,
    )
    const timeline = parseSegment(first)?.timeline ?? 1
    const files = await copyCluster(dataDir, target)
    const stopped = await one<{ stop_lsn: string; labelfile: string }>(
      'select lsn::text as stop_lsn, labelfile from pg_backup_stop(false)',
    )
    files.push({ path: LABEL, ...(await writeDurably(join(target, LABEL), stopped.labelfile)) })
    const range = { timeline, from: start_lsn, to: stopped.stop_lsn }
    files.push(...(await copyLog(join(dataDir, 'pg_wal'), join(target, 'pg_wal'), range)))
    const history = await readHistory(join(dataDir, 'pg_wal'), timeline)
    return { kind: 'base', ...facts, timeline, history, start_lsn, stop_lsn: stopped.stop_lsn, files }
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
  await eachOf(
    (await pathsOf(dataDir, target)).filter((path) => path !== CONTROL),
    copy,
  )
  await copy(CONTROL)
  return copied
}

/** Paths of the files to copy; their folders are made, also the empty ones. */
async function pathsOf(dataDir: string, target: string): Promise<string[]> {
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

/** Copies the segments that a consistent start needs; the slot has kept them. */
async function copyLog(
  from: string,
  to: string,
  range: { timeline: number; from: string; to: string },
): Promise<CopiedFile[]> {
  const copied: CopiedFile[] = []
  const end = parseLsn(range.to)
  for (let lsn = parseLsn(range.from); lsn - (lsn % SEGMENT) < end; lsn += SEGMENT) {
    const name = segmentName(range.timeline, lsn)
    copied.push({ path: `pg_wal/${name}`, ...(await copyFile(join(from, name), join(to, name))) })
  }
  return copied
}
