import {
  getFacts,
  getGaps,
  type SignedVerdict,
  toHex,
  type TrustedMaterial,
  verifyBags,
  verifySigned,
  utf8,
  type ZipSpan,
} from '@custodia/sealed-log'
import { sha256 } from '@noble/hashes/sha2.js'
import { BlobReader, configure, type FileEntry, ZipReader } from '@zip.js/zip.js'
import { verifyEd25519, verifyP256, verifySealed } from './sealed-files.ts'

export { verifySealed }

// The portal allows no workers from other places.
configure({ useWebWorkers: false })

/** A file of a bundle, by its path below the bundle's folder. */
export interface BundleFile {
  path: string
  size: number
  stream: (into: WritableStream<Uint8Array>) => Promise<unknown>
}

/** The files of a zip. Throws for a zip that programs unpack differently. */
export async function filesOfZip(blob: Blob): Promise<BundleFile[]> {
  const entries = await new ZipReader(new BlobReader(blob), { strictness: 'strict' }).getEntries()
  const spans: ZipSpan[] = []
  for (const { offset, compressedSize, bitFlag } of entries) {
    const header = new DataView(await blob.slice(offset, offset + 30).arrayBuffer())
    const to = offset + 30 + header.getUint16(26, true) + header.getUint16(28, true) + compressedSize
    spans.push({ from: offset, to, hasDescriptor: bitFlag?.dataDescriptor ?? false })
  }
  if (getGaps(spans, await getDirectory(blob, spans)).length > 0)
    throw new Error('contents that no entry names')
  return entries
    .filter((entry): entry is FileEntry => !entry.directory)
    .map((entry) => ({
      path: entry.filename,
      size: entry.uncompressedSize,
      stream: (into) => entry.getData(into, { checkSignature: false }),
    }))
}

/** Where the directory begins: behind the last entry, or at the end. */
async function getDirectory(blob: Blob, spans: readonly ZipSpan[]): Promise<number> {
  const last = Math.max(0, ...spans.map(({ to }) => to))
  const behind = new Uint8Array(await blob.slice(last, last + 28).arrayBuffer())
  const at = new TextDecoder('latin1').decode(behind).indexOf('PK\x01\x02')
  return at < 0 ? blob.size : last + at
}

/** The chosen files, and those below dropped folders. */
export async function filesOfChoice(chosen: readonly (File | FileSystemEntry)[]): Promise<BundleFile[]> {
  const found: BundleFile[] = []
  for (const each of chosen)
    if (each instanceof File) found.push(bundleFile(each, each.webkitRelativePath || each.name))
    else found.push(...(await filesBelow(each)))
  return found
}

const bundleFile = (file: File, path: string): BundleFile => ({
  path,
  size: file.size,
  stream: (into) => file.stream().pipeTo(into),
})

async function filesBelow(entry: FileSystemEntry): Promise<BundleFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    )
    return [bundleFile(file, entry.fullPath.slice(1))]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: BundleFile[] = []
  for (;;) {
    // A reader gives a part of the entries at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return found
    for (const each of some) found.push(...(await filesBelow(each)))
  }
}

/**
 * Verifies the files of an export as `custodia-verify.mjs` does, without sending anything. Undefined without a manifest.
 * @param key that the user has; empty: none
 * @param onProgress share of the bytes read so far
 */
export async function verifyBundle(
  files: readonly BundleFile[],
  key: string,
  onProgress: (share: number) => void,
): ReturnType<typeof verifyBags> {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  let read = 0
  const bags = files.map(({ path, stream }) => ({
    path,
    read: (onPiece: (piece: Uint8Array) => void) =>
      stream(
        new WritableStream<Uint8Array>({
          write(piece) {
            onPiece(piece)
            onProgress(Math.min(1, (read += piece.length) / Math.max(1, total)))
          },
        }),
      ),
  }))
  const crypto = {
    sha256,
    hasher: () => sha256.create(),
    verify: verifyEd25519,
    verifyP256,
    verifyLog: (lines: Iterable<string>, { keys, checkpoints }: TrustedMaterial) =>
      verifySealed(new Blob([[...lines].join('\n')]), keys, checkpoints),
  }
  return verifyBags(crypto, bags, { keys: key === '' ? [] : [key], checkpoints: [] })
}

/** The verdict on a signed document, with its digest; undefined for another text. */
export async function verifyDocument(
  text: string,
  key: string,
): Promise<(SignedVerdict & { facts: ReturnType<typeof getFacts>; digest: string }) | undefined> {
  const verdict = await verifySigned({ sha256, verify: verifyEd25519 }, text, [key])
  return verdict && { ...verdict, facts: getFacts(verdict), digest: toHex(sha256(utf8(verdict.body))) }
}
