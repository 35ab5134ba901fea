import type { ArchiveListing, ArchiveSource } from './port.ts'
import { listTar } from './list-tar.ts'
import { listZip } from './list-zip.ts'

/** Bytes at the front that identify a format: a tar has its magic behind its first file name. */
const HEAD = 512
/** An entry, or the end of the index of a zip without any. */
const ZIP = ['PK\x03\x04', 'PK\x05\x06']

/**
 * Lists the content of an archive, without executing, unpacking or opening anything in it. Returns what could
 * be listed, and why not more. Throws only the errors of the source.
 */
export async function listArchive(source: ArchiveSource): Promise<ArchiveListing> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source.read(0, Math.min(HEAD, source.size))) chunks.push(chunk)
  const head = Buffer.concat(chunks)
  if (ZIP.includes(head.toString('latin1', 0, 4))) return listZip(source)
  if (head[0] === 0x1f && head[1] === 0x8b) return listTar(source, true)
  if (head.toString('latin1', 257, 262) === 'ustar') return listTar(source, false)
  return { entries: [], reason: 'not_archive' }
}
