import type { MIGRATION_KINDS } from '@custodia/contract'

/** What the rows of a file are of. */
export type MigrationKind = (typeof MIGRATION_KINDS)[number]

/** The folder of recordings, next to the row files. */
export const MEDIA_FOLDER = 'media/'
/** Says what the files are to be: their SHA-256. */
export const MANIFEST = 'manifest.json'

/** The kind of a file in a drop folder, by its path. The run skips `unknown` files and reports them. */
export function migrationFile(path: string): MigrationKind | 'media' | 'manifest' | 'unknown' {
  if (path === MANIFEST) return 'manifest'
  if (path.startsWith(MEDIA_FOLDER)) return 'media'
  if (/^groups[^/]*\.csv$/i.test(path)) return 'Group'
  if (/^users[^/]*\.csv$/i.test(path)) return 'DeviceUser'
  if (/^devices[^/]*\.csv$/i.test(path)) return 'Device'
  if (/^payloads[^/]*\.(?:csv|ndjson)$/i.test(path)) return 'Payload'
  return 'unknown'
}

/** Whether a path stays within a drop folder and names a file that people can see. */
export const isMigrationPath = (path: string): boolean =>
  path.length <= 500 &&
  !/\.part\.part$/i.test(path) &&
  path.split('/').every((part) => /^[^.\s/\\][^/\\\p{Cc}]*$/u.test(part) && !part.endsWith(' ')) &&
  (!path.includes('/') || path.startsWith(MEDIA_FOLDER))
