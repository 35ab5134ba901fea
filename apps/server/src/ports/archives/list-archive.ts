import {
  DecompressionStream,
  ReadableStream,
  type ReadableWritablePair,
  TransformStream,
} from 'node:stream/web'
import type { PayloadContents } from '@custodia/contract'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { fromRandomAccessReader, getFileNameLowLevel, RandomAccessReader, type ZipFile } from 'yauzl'
import type { MediaSource } from '../media/port.ts'
import { Reader, readRange } from '../media/reader.ts'

/** An entry as the archive describes it; its content is not read. Its name never becomes a path of ours. */
type ArchiveEntry = PayloadContents['entries'][number]

/** Why a listing is incomplete: `too_many` entries, `too_large` to read, or one of the others. */
type ListingFailure = NonNullable<PayloadContents['reason']>

export const MAX_ENTRIES = 1000
/** Most characters of a name. */
export const NAME_LENGTH = 1000

/** Reads the index through one buffer; keeps errors of the source apart from faults of the archive. */
class SourceReader extends RandomAccessReader {
  readonly #reader: Reader
  failure: { error: unknown } | undefined

  constructor(source: MediaSource) {
    super()
    this.#reader = Reader.of(source)
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#reader.bytes(position, length).then(
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
async function listZip(source: MediaSource): Promise<PayloadContents> {
  const reader = new SourceReader(source)
  const listing: PayloadContents = { format: 'zip', entries: [] }
  try {
    const zip = await opened(reader, source.size)
    for await (const entry of getEntries(zip)) {
      if (listing.entries.length === MAX_ENTRIES) return { ...listing, reason: 'too_many' }
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

async function* getEntries(zip: ZipFile): AsyncGenerator<ArchiveEntry> {
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

function describe(entry: RawEntry): ArchiveEntry {
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

/** Most unpacked bytes of a tar that are listed: a bundle of logs. A bomb ends here. */
const MAX_BYTES = 64 * 1024 * 1024

type Decoder = ReadableWritablePair<ParsedTarEntry, Uint8Array>

/** Reading ends before the end of the archive. */
class Enough extends Error {
  readonly reason: ListingFailure
  constructor(reason: ListingFailure) {
    super(reason)
    this.reason = reason
  }
}

/** The entries of a tar, which has no index: it is read and unpacked piece by piece. */
async function listTar(source: MediaSource, is_packed: boolean): Promise<PayloadContents> {
  const entries: ArchiveEntry[] = []
  let failure: { error: unknown } | undefined
  async function* bytes() {
    try {
      yield* source.read(0, source.size)
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  let reason: ListingFailure | undefined
  try {
    const unpacked = is_packed
      ? ReadableStream.from(bytes()).pipeThrough(new DecompressionStream('gzip'))
      : ReadableStream.from(bytes())
    // Typed like the browsers' streams, which Node has under other names.
    const decoder = createTarDecoder({ strict: true }) as unknown as Decoder
    for await (const { header, body } of unpacked.pipeThrough(upTo(MAX_BYTES)).pipeThrough(decoder)) {
      if (entries.length === MAX_ENTRIES) throw new Enough('too_many')
      const modified_at = Math.floor((header.mtime?.getTime() ?? 0) / 1000)
      entries.push({
        name: header.name.slice(0, NAME_LENGTH),
        size: header.size,
        is_folder: header.type === 'directory',
        is_encrypted: false,
        ...(modified_at > 0 && { modified_at }),
      })
      await body.cancel()
    }
  } catch (error) {
    if (failure) throw failure.error
    reason = error instanceof Enough ? error.reason : 'damaged'
  }
  if (entries.length === 0 && reason !== 'too_large') return { entries, reason: reason ?? 'not_archive' }
  return { format: is_packed ? 'tar.gz' : 'tar', entries, ...(reason && { reason }) }
}

/** Passes on bytes up to the limit. */
function upTo(most: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length
      if (size > most) throw new Enough('too_large')
      controller.enqueue(chunk)
    },
  })
}

/** Bytes at the front that identify a format: a tar has its magic behind its first file name. */
const HEAD = 512
/** An entry, or the end of the index of a zip without any. */
const ZIP = ['PK\x03\x04', 'PK\x05\x06']

/**
 * Lists the content of an archive, without executing, unpacking or opening anything in it. Returns what could
 * be listed, and why not more. Throws only the errors of the source.
 */
export async function listArchive(source: MediaSource): Promise<PayloadContents> {
  const head = await readRange(source, 0, Math.min(HEAD, source.size))
  if (ZIP.includes(head.toString('latin1', 0, 4))) return listZip(source)
  if (head[0] === 0x1f && head[1] === 0x8b) return listTar(source, true)
  if (head.toString('latin1', 257, 262) === 'ustar') return listTar(source, false)
  return { entries: [], reason: 'not_archive' }
}
