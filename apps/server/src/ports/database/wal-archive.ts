import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import type { RunAs } from './run-as.ts'

/** Seconds after which PostgreSQL archives a segment that is not full: the most that is lost with the disk of the database. */
const ARCHIVE_TIMEOUT = 60

/** A text as one word of the shell, within a setting of PostgreSQL that replaces `%p` and `%f`. */
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

/** The command with which PostgreSQL fetches a segment from such a folder. */
export const fetchCommand = (folder: string): string => `f=${quoted(folder)}; gzip -dc "$f/%f.gz" > %p`

/** Makes the folder where it is missing, for the user that PostgreSQL runs as. */
export function makeArchiveFolder(folder: string, user: RunAs): void {
  // PostgreSQL's user must be able to enter new folders above it.
  if (mkdirSync(folder, { recursive: true, mode: 0o711 }) === undefined) return
  chmodSync(folder, 0o700)
  if (user.steps_down) chownSync(folder, user.uid, user.gid)
}
