import { randomUUID } from 'node:crypto'
import { appendFile, chown, copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startEmbedded } from '../ports/database/embedded.ts'
import { postgresUser } from '../ports/database/run-as.ts'
import {
  historyName,
  parseHistoryName,
  parseLsn,
  parseSegment,
  PARTIAL,
  readHistory,
  SEGMENT,
  segmentName,
} from '../ports/database/wal-files.ts'
import type { BaseBackup } from './base-backup.ts'

/** Where log may lie that is newer than the backup. */
export interface LogSource {
  /** The folder that was WAL_ARCHIVE. */
  archive?: string | undefined
  /** `pg_wal` of the broken data folder, when its disk still lets itself be read. */
  wal?: string | undefined
  /** Epoch seconds up to which the log is replayed; all of it when left out. */
  until?: number | undefined
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
 * Makes a copied data folder consistent: brings all log that is at hand into it, replays it to its end or until the time asked for, and
 * leaves the cluster shut down on a timeline of its own. Resolves to how many files of log were added. Throws, and the
 * folder is of no use, when the log has a hole or ends before that time.
 */
export async function recover(
  dataDir: string,
  backup: BaseBackup,
  { archive, wal, until }: LogSource,
): Promise<number> {
  for (const folder of EMPTY) await mkdir(join(dataDir, folder), { recursive: true, mode: 0o700 })
  const added = await gatherLog(join(dataDir, 'pg_wal'), backup, archive, wal)
  await writeFile(join(dataDir, 'recovery.signal'), '', { mode: 0o600 })
  await giveTo(dataDir)
  const server = await startEmbedded({
    dataDir,
    log: () => undefined,
    settings: {
      // A standby would be called ready before it has replayed everything.
      hot_standby: 'off',
      // All log lies in pg_wal already.
      restore_command: 'false',
      recovery_target_timeline: 'latest',
      recovery_target_action: 'promote',
      // An offset: abbreviations of zones, which Z counts as, are not known yet when this setting is read.
      ...(until === undefined
        ? {}
        : { recovery_target_time: new Date(until * 1000).toISOString().replace('Z', '+00:00') }),
    },
  })
  await server.stop()
  await nameTimeline(join(dataDir, 'pg_wal'))
  return added
}

/**
 * Tells the timeline that recovery began from one that another restore of the same backup begins, which has the same number: an archive
 * may have the log of both. PostgreSQL passes over such a line, and hands it on to the timelines that follow.
 */
async function nameTimeline(pgWal: string): Promise<void> {
  const timelines = (await readdir(pgWal)).flatMap((name) => parseHistoryName(name) ?? [])
  const path = join(pgWal, historyName(Math.max(...timelines)))
  await appendFile(path, `# restored as ${randomUUID()}\n`, { flush: true })
}

/** Copies log into `pg_wal`: of each file the copy that reaches furthest. Resolves to how many files were added or replaced. */
async function gatherLog(
  target: string,
  backup: BaseBackup,
  archive: string | undefined,
  surviving: string | undefined,
): Promise<number> {
  const sources = new Map<string, string>()
  const archived = archive && join(archive, backup.system_identifier)
  if (archived && !existsSync(archived)) throw new Error(`${archive} holds no log of this database.`)
  for (const folder of [archived, surviving]) {
    if (folder) await assertSameTimeline(folder, backup)
    for (const name of folder ? await readdir(folder) : []) {
      const segment = name.endsWith(PARTIAL) ? name.slice(0, -PARTIAL.length) : name
      // A broken server's own copy comes last and wins: it has whatever the archive has.
      if (isWanted(segment, backup)) sources.set(segment, join(folder ?? '', name))
    }
  }
  for (const [name, path] of sources) await copySegment(path, join(target, name))
  assertWithoutHole(await readdir(target), backup)
  return sources.size
}

/** Log of another restore that has the same number does not go on where this backup ends. */
async function assertSameTimeline(folder: string, { timeline, history }: BaseBackup): Promise<void> {
  const there = await readHistory(folder, timeline)
  if (there !== undefined && history !== undefined && there !== history)
    throw new Error(
      `${folder} has the log of another restore than this backup is of. That of this one may be below "replaced" in the archive.`,
    )
}

function isWanted(name: string, { timeline, start_lsn }: BaseBackup): boolean {
  const history = parseHistoryName(name)
  if (history !== undefined) return history > timeline
  const segment = parseSegment(name)
  return (
    segment !== undefined && segment.timeline >= timeline && segment.start + SEGMENT > parseLsn(start_lsn)
  )
}

async function copySegment(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  // A segment that was broken off ends in zeros, as PostgreSQL's own do.
  const missing = parseSegment(to.slice(-24)) ? Number(SEGMENT) - (await stat(to)).size : 0
  if (missing > 0) await writeFile(to, Buffer.alloc(missing), { flag: 'a' })
}

/** A missing segment would look like the end of the log, and what comes after it would be lost without a word. */
function assertWithoutHole(names: readonly string[], { timeline, start_lsn }: BaseBackup): void {
  const there = new Set(names)
  const starts = names.flatMap((name) => {
    const segment = parseSegment(name)
    return segment?.timeline === timeline ? [segment.start] : []
  })
  const last = starts.reduce((a, b) => (b > a ? b : a), 0n)
  const first = parseLsn(start_lsn)
  for (let start = first - (first % SEGMENT); start <= last; start += SEGMENT) {
    const name = segmentName(timeline, start)
    if (!there.has(name)) throw new Error(`The log has a hole: ${name} is in neither backup nor archive.`)
  }
}

/** Gives a folder that root has written to the user as whom PostgreSQL runs. */
async function giveTo(folder: string): Promise<void> {
  const { uid, gid, steps_down } = postgresUser()
  if (!steps_down) return
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chown(join(entry.parentPath, entry.name), uid, gid)
  await chown(folder, uid, gid)
}
