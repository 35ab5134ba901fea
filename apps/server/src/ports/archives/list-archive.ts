import type { ArchiveListing, ArchiveSource } from './port.ts'
import { listTar } from './list-tar.ts'
import { listZip } from './list-zip.ts'

/** Bytes at the front that tell a format: a tar says what it is behind its first name. */
const HEAD = 512
/** An entry, or the end of the index of a zip without any. */
const ZIP = ['PK\x03\x04', 'PK\x05\x06']

/**
 * Lists what is in an archive. Nothing is executed, drawn, unpacked to anywhere or opened further: an archive within is a name. Whatever the
 * bytes are, it answers: with what could be listed, and why not more. Throws only what reading the source throws.
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
