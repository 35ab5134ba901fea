import { chown, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../ports/database/embedded.ts'
import { postgresUser } from '../ports/database/run-as.ts'
import { fetchCommand } from '../ports/database/wal-archive.ts'
import { type BaseBackup, SEGMENT } from './base-backup.ts'

/** Where log may lie that is newer than the backup. */
export interface LogSource {
  /** The folder that was WAL_ARCHIVE. */
  archive?: string | undefined
  /** `pg_wal` of the broken data folder, when its disk can still be read. */
  wal?: string | undefined
  /** Epoch seconds up to which the log is replayed; all of it when left out. */
  until?: number | undefined
  /** Which timeline is followed: the latest when left out, `current` for that of the backup, or a number. */
  timeline?: string | undefined
}

const EMPTY = [
  'pg_wal/archive_status',
  'pg_wal/summaries',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_dynshmem',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_tblspc',
]

/**
 * Makes a copied data folder consistent: PostgreSQL replays the log of the backup, the archive and the broken folder,
 * to its end or to the requested time. The cluster stays shut down, on its own timeline, which the archive has.
 * Resolves to the time of the last replayed transaction. Throws when the log ends before the requested time; the
 * folder is then unusable.
 */
export async function recover(
  dataDir: string,
  backup: BaseBackup,
  { archive, wal, until, timeline = 'latest' }: LogSource,
): Promise<Date | undefined> {
  for (const folder of EMPTY) await mkdir(join(dataDir, folder), { recursive: true, mode: 0o700 })
  if (wal !== undefined) await copySurviving(wal, join(dataDir, 'pg_wal'), backup)
  await writeFile(join(dataDir, 'recovery.signal'), '', { mode: 0o600 })
  await giveTo(dataDir)
  const server = await startEmbedded({
    dataDir,
    archive,
    log: () => undefined,
    settings: {
      // A standby would be called ready before it has replayed everything.
      hot_standby: 'off',
      restore_command: archive === undefined ? 'false' : fetchCommand(archive),
      recovery_target_timeline: timeline,
      recovery_target_action: 'promote',
      // An offset: abbreviations of zones, which Z counts as, are not known yet when this setting is read.
      ...(until === undefined
        ? {}
        : { recovery_target_time: new Date(until * 1000).toISOString().replace('Z', '+00:00') }),
    },
  })
  try {
    return await lastReplayed(server.url)
  } finally {
    await server.stop()
  }
}

async function lastReplayed(connection: string): Promise<Date | undefined> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ at: Date | null }>('select pg_last_xact_replay_timestamp() as at')
    return rows[0]?.at ?? undefined
  } finally {
    await client.end()
  }
}

/** Copies what the archive may lack: the newest log of the broken folder. */
async function copySurviving(from: string, to: string, { first_segment }: BaseBackup): Promise<void> {
  for (const name of await readdir(from))
    if (name.endsWith('.history') || (SEGMENT.test(name) && name >= first_segment))
      await copyFile(join(from, name), join(to, name))
}

/** Changes the owner of a folder that root has written to the user that runs PostgreSQL. */
async function giveTo(folder: string): Promise<void> {
  const { uid, gid, steps_down } = postgresUser()
  if (!steps_down) return
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chown(join(entry.parentPath, entry.name), uid, gid)
  await chown(folder, uid, gid)
}
