import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import type { RunAs } from './run-as.ts'

/** Seconds after which PostgreSQL archives a partial segment: the most that a disk failure loses. */
const ARCHIVE_TIMEOUT = 60

/** A text as one shell word, within a PostgreSQL setting that replaces `%p` and `%f`. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`).replaceAll('%', '%%')}'`

/**
 * Settings of a server that archives its write-ahead log into a folder, compressed and durable. An existing
 * segment is never replaced.
 */
export function archiveSettings(folder: string): Record<string, string> {
  const [target, draft] = ['"$f/%f.gz"', '"$f/%f.part"']
  // After a crash PostgreSQL archives a segment again: the same content is a success.
  const publish = `if test -f ${target}; then cmp -s ${draft} ${target} && rm ${draft}; else mv ${draft} ${target}; fi`
  return {
    archive_mode: 'on',
    archive_timeout: String(ARCHIVE_TIMEOUT),
    archive_command: `f=${quoted(folder)}; gzip < %p > ${draft} && sync ${draft} && ${publish} && sync "$f"`,
  }
}

/** The command that restores a segment from such a folder. */
export const fetchCommand = (folder: string): string => `f=${quoted(folder)}; gzip -dc "$f/%f.gz" > %p`

/** Makes the folder if missing, for PostgreSQL's user. */
export function makeArchiveFolder(folder: string, user: RunAs): void {
  // PostgreSQL's user must be able to enter new folders above it.
  if (mkdirSync(folder, { recursive: true, mode: 0o711 }) === undefined) return
  chmodSync(folder, 0o700)
  if (user.steps_down) chownSync(folder, user.uid, user.gid)
}
