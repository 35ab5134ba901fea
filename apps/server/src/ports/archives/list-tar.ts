import {
  DecompressionStream,
  ReadableStream,
  type ReadableWritablePair,
  TransformStream,
} from 'node:stream/web'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { type ArchiveListing, type ArchiveSource, MOST_ENTRIES, NAME_LENGTH, type Unlisted } from './port.ts'

/** Most unpacked bytes of a tar that are listed: a bundle of logs. A bomb ends here. */
const MOST_BYTES = 64 * 1024 * 1024

type Decoder = ReadableWritablePair<ParsedTarEntry, Uint8Array>

/** Reading ends before the end of the archive. */
class Enough extends Error {
  readonly reason: Unlisted
  constructor(reason: Unlisted) {
    super(reason)
    this.reason = reason
  }
}

/** The entries of a tar, which has no index: it is read and unpacked piece by piece. */
export async function listTar(source: ArchiveSource, is_packed: boolean): Promise<ArchiveListing> {
  const entries: ArchiveListing['entries'] = []
  let failure: { error: unknown } | undefined
  async function* bytes() {
    try {
      yield* source.read(0, source.size)
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  let reason: Unlisted | undefined
  try {
    const unpacked = is_packed
      ? ReadableStream.from(bytes()).pipeThrough(new DecompressionStream('gzip'))
      : ReadableStream.from(bytes())
    // Typed like the browsers' streams, which Node has under other names.
    const decoder = createTarDecoder({ strict: true }) as unknown as Decoder
    for await (const { header, body } of unpacked.pipeThrough(upTo(MOST_BYTES)).pipeThrough(decoder)) {
      if (entries.length === MOST_ENTRIES) throw new Enough('too_many')
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
