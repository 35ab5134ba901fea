import { fromRandomAccessReader, getFileNameLowLevel, RandomAccessReader, type ZipFile } from 'yauzl'
import { windowsOf } from '../media/windows.ts'
import { type ArchiveListing, type ArchiveSource, MOST_ENTRIES, NAME_LENGTH } from './port.ts'

/** Reads the index through one buffer; keeps errors of the source apart from faults of the archive. */
class SourceReader extends RandomAccessReader {
  readonly #windows
  failure: { error: unknown } | undefined

  constructor(source: ArchiveSource) {
    super()
    this.#windows = windowsOf(source)
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#windows.bytes(position, length).then(
      (bytes) => {
        bytes.copy(buffer, offset)
        callback(bytes.length < length ? new Error('unexpected EOF') : null)
      },
      (error: unknown) => {
        this.failure = { error }
        callback(error as Error)
      },
    )
  }
}

/**
 * The entries of a zip from its index, one at a time, so that the claimed number costs nothing. Opens no
 * entry.
 */
export async function listZip(source: ArchiveSource): Promise<ArchiveListing> {
  const reader = new SourceReader(source)
  const listing: ArchiveListing = { format: 'zip', entries: [] }
  try {
    const zip = await opened(reader, source.size)
    for await (const entry of entriesOf(zip)) {
      if (listing.entries.length === MOST_ENTRIES) return { ...listing, reason: 'too_many' }
      listing.entries.push(entry)
    }
    return listing
  } catch {
    if (reader.failure) throw reader.failure.error
    return { ...listing, reason: 'damaged' }
  }
}

const opened = (reader: RandomAccessReader, size: number): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    // Names are listed unchanged: they never become paths here.
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySize: false }
    fromRandomAccessReader(reader, size, options, (error, zip) => (error ? reject(error) : resolve(zip)))
  })

async function* entriesOf(zip: ZipFile): AsyncGenerator<ArchiveListing['entries'][number]> {
  for (;;) {
    const next = await new Promise<Parameters<typeof describe>[0] | undefined>((resolve, reject) => {
      zip.removeAllListeners()
      zip
        .once('entry', resolve)
        .once('end', () => resolve(undefined))
        .once('error', reject)
      zip.readEntry()
    })
    if (next === undefined) return
    yield describe(next)
  }
}

interface RawEntry {
  generalPurposeBitFlag: number
  /** A buffer, because `decodeStrings` is off. */
  fileName: unknown
  extraFields: { id: number; data: Buffer }[]
  uncompressedSize: number
  getLastModDate(): Date
}

const ENCRYPTED = 1

function describe(entry: RawEntry): ArchiveListing['entries'][number] {
  const { generalPurposeBitFlag, fileName, extraFields, uncompressedSize } = entry
  const name = getFileNameLowLevel(generalPurposeBitFlag, fileName as Buffer, extraFields, false)
  const modified_at = Math.floor(entry.getLastModDate().getTime() / 1000)
  return {
    name: name.slice(0, NAME_LENGTH),
    size: uncompressedSize,
    is_folder: name.endsWith('/'),
    is_encrypted: (generalPurposeBitFlag & ENCRYPTED) !== 0,
    ...(modified_at > 0 && { modified_at }),
  }
}
