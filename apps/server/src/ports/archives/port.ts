import type { MediaSource } from '../media/port.ts'

/** An archive that can be read from any place; of a compressed one only the front is looked at. */
export type ArchiveSource = MediaSource

/** What an archive says of one of its entries: nothing of it is opened, and so nothing is known but what is said. */
export interface ArchiveEntry {
  /** As it is written there, however absurd: never a path of ours. */
  name: string
  /** Bytes, as the archive says. */
  size: number
  is_folder: boolean
  is_encrypted: boolean
  /** Epoch seconds, as the archive says. */
  modified_at?: number
}

/** Why an archive is not listed to its end. `too_many` entries; `too_large`: more to read than a look is worth. */
export type Unlisted = 'not_archive' | 'damaged' | 'too_many' | 'too_large'

/** What is in an archive, as far as it was listed. */
export interface ArchiveListing {
  format?: 'zip' | 'tar' | 'tar.gz'
  entries: ArchiveEntry[]
  reason?: Unlisted
}

/** Entries that are listed at most. */
export const MOST_ENTRIES = 1000
/** Characters of a name that are shown. */
export const NAME_LENGTH = 1000
