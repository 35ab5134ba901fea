import type { MediaSource } from '../media/port.ts'

/** An archive with random access; of a compressed one only the front is read. */
export type ArchiveSource = MediaSource

/** An entry as the archive describes it; its content is not read. */
export interface ArchiveEntry {
  /** The name as written in the archive; it never becomes a path of ours. */
  name: string
  /** Bytes, by the archive. */
  size: number
  is_folder: boolean
  is_encrypted: boolean
  /** Epoch seconds, by the archive. */
  modified_at?: number
}

/** Why a listing is incomplete: `too_many` entries, `too_large` to read, or one of the others. */
export type Unlisted = 'not_archive' | 'damaged' | 'too_many' | 'too_large'

/** The content of an archive, as far as it was listed. */
export interface ArchiveListing {
  format?: 'zip' | 'tar' | 'tar.gz'
  entries: ArchiveEntry[]
  reason?: Unlisted
}

/** Most listed entries. */
export const MOST_ENTRIES = 1000
/** Most characters of a name. */
export const NAME_LENGTH = 1000
