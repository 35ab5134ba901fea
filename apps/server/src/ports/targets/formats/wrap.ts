import { basename } from 'node:path/posix'
import { FORMAT_SUFFIX } from '@custodia/domain'
import { runDigest } from '../digests.ts'
import { type DeliveryItem, TargetProblem } from '../port.ts'
import { pgp } from './pgp.ts'
import { zip } from './zip.ts'

/** Text is worth compressing; other archived content is already compressed. */
const TEXT = /\.(json|csv|txt|html|xml|eml)$/

/**
 * The item in its format, as it is written to the target. Throws TargetProblem `source_differs` when the
 * plaintext does not match the item; the writer publishes nothing before the end. An unwrapped item is not
 * digested here: its writer compares the digest of the file.
 */
export function wrapped(item: DeliveryItem): AsyncIterable<Uint8Array> {
  const plain = checked(item, fileDigest(item) === undefined)
  const { format } = item
  if (format.type === 'Uncompressed') return plain
  if (format.type === 'PGP') return pgp(plain, { size: item.size, public_key: format.public_key })
  const name = innerName(item)
  const password = format.type === 'ZippedWithPassword' ? { password: format.password } : {}
  return zip(plain, { name, size: item.size, deflate: TEXT.test(name), ...password })
}

/** The SHA-256 that the file on the target must have, where it is known beforehand. */
export const fileDigest = (item: DeliveryItem): string | undefined =>
  item.format.type === 'Uncompressed' ? item.sha256 : undefined

/** Reads the plaintext again. Throws TargetProblem when it does not match the item. */
export async function verifySource(item: DeliveryItem): Promise<void> {
  for await (const piece of checked(item, true)) void piece
}

/** The name inside an archive: the file's name without the format's extension. */
function innerName({ path, format }: DeliveryItem): string {
  const name = basename(path)
  const suffix = FORMAT_SUFFIX[format.type]
  return name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name
}

async function* checked(item: DeliveryItem, isDigested: boolean): AsyncGenerator<Uint8Array> {
  // OpenPGP keeps this thread busy with its cipher; a thread of its own would cost the others memory for little time.
  const digest = isDigested ? runDigest('sha256', item.format.type === 'PGP' ? item.size : 0) : undefined
  let bytes = 0
  try {
    for await (const piece of item.open()) {
      await digest?.update(piece)
      bytes += piece.length
      if (bytes > item.size) throw new TargetProblem('source_differs', 'more bytes than announced')
      yield piece
    }
    if (bytes < item.size) throw new TargetProblem('source_differs', 'fewer bytes than announced')
    if (digest && (await digest.end()).toString('hex') !== item.sha256)
      throw new TargetProblem('source_differs', 'another SHA-256')
  } catch (cause) {
    throw cause instanceof TargetProblem ? cause : new TargetProblem('source_unreadable', '', { cause })
  } finally {
    digest?.drop()
  }
}
