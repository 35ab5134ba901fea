import { CERTIFICATE_FORMAT, DestructionCertificate } from '@custodia/contract'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { BlobReader, configure, type FileEntry, ZipReader } from '@zip.js/zip.js'
import { digestOfCertificate } from '../../components/certificate-digest.ts'

// The portal allows no workers from other places.
configure({ useWebWorkers: false })

/** Outcome for one file of a bundle. */
export interface VerifiedFile {
  path: string
  outcome: 'unchanged' | 'changed' | 'missing' | 'unlisted' | 'doubled'
}

/** A file of a bundle, by its path below the bundle's folder. */
export interface BundleFile {
  path: string
  size: number
  stream: (into: WritableStream<Uint8Array>) => Promise<unknown>
}

/** Manifests of a bag (RFC 8493): of the recordings, and of the files that describe them. */
const MANIFESTS = ['manifest-sha256.txt', 'tagmanifest-sha256.txt'] as const

/** The files of a zip. Only its directory is read. */
export async function filesOfZip(blob: Blob): Promise<BundleFile[]> {
  const entries = await new ZipReader(new BlobReader(blob)).getEntries()
  return entries
    .filter((entry): entry is FileEntry => !entry.directory)
    .map((entry) => ({
      path: entry.filename,
      size: entry.uncompressedSize,
      stream: (into) => entry.getData(into, { checkSignature: false }),
    }))
}

/** The files of a chosen folder. */
export const filesOfFolder = (files: readonly File[]): BundleFile[] =>
  files.map((file) => ({
    path: file.webkitRelativePath || file.name,
    size: file.size,
    stream: (into) => file.stream().pipeTo(into),
  }))

/** SHA-256 of a file, in memory of one piece at a time. */
async function digestOf({ stream }: BundleFile, onBytes: (count: number) => void): Promise<string> {
  const hash = sha256.create()
  await stream(
    new WritableStream<Uint8Array>({
      write(piece) {
        hash.update(piece)
        onBytes(piece.length)
      },
    }),
  )
  return bytesToHex(hash.digest())
}

/**
 * Compares every file with the manifest of its bundle, without sending anything. Undefined without a manifest. Several
 * bundles may lie side by side; a manifest inside of a bundle counts as a file.
 * @param onProgress share of the bytes read so far
 */
export async function verifyBundle(
  files: readonly BundleFile[],
  onProgress: (share: number) => void,
): Promise<VerifiedFile[] | undefined> {
  const bundles = new Map<string, Map<string, BundleFile>>()
  const manifests = files.filter(({ path }) => /(?:^|\/)manifest-sha256\.txt$/.test(path))
  const folders = manifests.map(({ path }) => path.slice(0, -MANIFESTS[0].length))
  for (const folder of folders.toSorted((a, b) => a.length - b.length))
    if (![...bundles.keys()].some((outer) => folder.startsWith(outer))) bundles.set(folder, new Map())
  if (bundles.size === 0) return undefined
  const result: VerifiedFile[] = []
  for (const file of files) {
    const [folder, below] = [...bundles].find(([outer]) => file.path.startsWith(outer)) ?? []
    const path = file.path.slice(folder?.length ?? 0)
    if (!below) result.push({ path, outcome: 'unlisted' })
    // Of two entries with one name, programs unpack different ones.
    else if (below.has(path)) result.push({ path, outcome: 'doubled' })
    else below.set(path, file)
  }
  const total = files.reduce((sum, { size }) => sum + size, 0)
  let read = 0
  const onBytes = (count: number) => onProgress(Math.min(1, (read += count) / Math.max(1, total)))
  for (const [folder, below] of bundles)
    for (const { path, outcome } of await verifyListed(below, onBytes))
      result.push({ path: bundles.size > 1 ? `${folder}${path}` : path, outcome })
  return result
}

/** The files of one bundle, by their path in it. */
async function verifyListed(
  below: ReadonlyMap<string, BundleFile>,
  onBytes: (count: number) => void,
): Promise<VerifiedFile[]> {
  const listed = new Map<string, string>()
  for (const name of MANIFESTS) {
    const file = below.get(name)
    for (const [path, digest] of file ? linesOf(await textOf(file)) : []) listed.set(path, digest)
  }
  const result: VerifiedFile[] = []
  for (const [path, digest] of listed) {
    const file = below.get(path)
    const outcome = !file ? 'missing' : (await digestOf(file, onBytes)) === digest ? 'unchanged' : 'changed'
    result.push({ path, outcome })
  }
  for (const path of below.keys())
    if (!listed.has(path) && path !== MANIFESTS[1]) result.push({ path, outcome: 'unlisted' })
  return result
}

const linesOf = (manifest: string): [path: string, digest: string][] =>
  manifest.split('\n').flatMap((line) => {
    const [, digest, path] = /^([0-9a-f]{64})[ \t]+\*?(.+)$/i.exec(line.trimEnd()) ?? []
    return digest === undefined || path === undefined ? [] : [[path, digest.toLowerCase()]]
  })

async function textOf({ stream }: BundleFile): Promise<string> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  await stream(new WritableStream<Uint8Array>({ write: (piece) => void pieces.push(new Uint8Array(piece)) }))
  return new Blob(pieces).text()
}

/** A certificate of destruction in a file, with its digest; undefined for another text. */
export function certificateIn(
  text: string,
): { certificate: DestructionCertificate['certificate']; digest: string } | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  const read = DestructionCertificate.safeParse(json)
  if (!read.success || read.data.certificate.format !== CERTIFICATE_FORMAT) return undefined
  const { certificate } = json as DestructionCertificate
  return { certificate, digest: digestOfCertificate(certificate) }
}
