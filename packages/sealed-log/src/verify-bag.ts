import { concat, equal, type Sha256, toHex } from './bytes.ts'
import { formatKey, parseKey } from './note.ts'
import type { Trusted, Verdict } from './verify-file.ts'

/** Manifests of a bag (RFC 8493): of the recordings, and of the files that describe them. */
const MANIFESTS = ['manifest-sha256.txt', 'tagmanifest-sha256.txt'] as const
/** Signatures of the second manifest: Ed25519, and CMS for other programs, with the certificate of its key. */
export const SIGNATURES = { ed25519: `${MANIFESTS[1]}.sig`, cms: `${MANIFESTS[1]}.p7s` } as const
/** The certificate of the key that signs. */
export const SIGNER_FILE = 'signer.pem'
/** The element of `bag-info.txt` that names the key. */
export const SIGNER_ELEMENT = 'Signing-Key'
/** Entries of the sealed log about the recordings, with their proofs. */
export const PROOFS_FILE = 'evidence/sealed-entries.jsonl'
/** Proofs that the log continues checkpoints with a time stamp. */
const CONSISTENCY_FILE = /^evidence\/consistency-\d+\.json$/

/** A file by its path in the archive. */
export interface BagFile {
  path: string
  /** Reads it piece by piece. */
  read(onPiece: (piece: Uint8Array) => void): Promise<unknown>
}

/** The outcome for one file. */
export interface VerifiedFile {
  path: string
  outcome: 'unchanged' | 'changed' | 'missing' | 'unlisted' | 'doubled'
  /** The recording of the file, as `contents.csv` names it. */
  payload_reference?: string
}

/** Who signed a bag. `untrusted`: the signature is good, but the auditor has another key. */
export type BagSignature =
  | { state: 'good' | 'untrusted' | 'wrong'; key: string }
  | { state: 'unsigned'; key: undefined }

/** A bag as a whole. */
export interface VerifiedBag {
  /** Its folder in the archive: empty, or with a slash at the end. */
  folder: string
  signature: BagSignature
  /** The verdict on its entries of the sealed log; undefined: it has none. */
  log: Verdict | undefined
}

/** Implementations of the platform. */
export interface BagCrypto {
  sha256: Sha256
  /** SHA-256 of bytes that come in pieces. */
  hasher(): { update(piece: Uint8Array): unknown; digest(): Uint8Array }
  verify(public_key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
  verifyLog(lines: Iterable<string>, trusted: Trusted): Promise<Verdict>
}

/**
 * Compares every file with the manifest of its bag, and the manifest with its signature. Undefined without a manifest.
 * Several bags may lie side by side; a manifest inside of a bag counts as a file.
 */
export async function verifyBags(
  crypto: BagCrypto,
  files: readonly BagFile[],
  trusted: Trusted,
): Promise<{ files: VerifiedFile[]; bags: VerifiedBag[] } | undefined> {
  const found = new Map<string, Map<string, BagFile>>()
  const manifests = files.filter(({ path }) => /(?:^|\/)manifest-sha256\.txt$/.test(path))
  const folders = manifests.map(({ path }) => path.slice(0, -MANIFESTS[0].length))
  for (const folder of folders.toSorted((a, b) => a.length - b.length))
    if (![...found.keys()].some((outer) => folder.startsWith(outer))) found.set(folder, new Map())
  if (found.size === 0) return undefined
  const result: VerifiedFile[] = []
  for (const file of files) {
    const [folder, below] = [...found].find(([outer]) => file.path.startsWith(outer)) ?? []
    const path = file.path.slice(folder?.length ?? 0)
    if (!below) result.push({ path, outcome: 'unlisted' })
    // Of two entries with one name, programs unpack different ones.
    else if (below.has(path)) result.push({ path, outcome: 'doubled' })
    else below.set(path, file)
  }
  const bags: VerifiedBag[] = []
  for (const [folder, below] of found) {
    for (const each of await verifyListed(crypto, below))
      result.push({ ...each, path: found.size > 1 ? `${folder}${each.path}` : each.path })
    const signature = await verifySignature(crypto, below, trusted)
    // The auditor's key must be the signer's, else the bag is not good anyway.
    const keys = signature.key === undefined ? trusted.keys : [...trusted.keys, signature.key]
    bags.push({ folder, signature, log: await verifyLogs(crypto, below, { ...trusted, keys }) })
  }
  return { files: result, bags }
}

/** The files of one bag, by their path in it. */
async function verifyListed(
  { hasher }: BagCrypto,
  below: ReadonlyMap<string, BagFile>,
): Promise<VerifiedFile[]> {
  const listed = new Map<string, string>()
  for (const name of MANIFESTS)
    for (const [path, digest] of listOfDigests(await textOf(below.get(name)))) listed.set(path, digest)
  const references = await recordingsByFile(below)
  const result: VerifiedFile[] = []
  for (const [path, digest] of listed) {
    const file = below.get(path)
    const hash = hasher()
    await file?.read((piece) => hash.update(piece))
    const outcome = !file ? 'missing' : toHex(hash.digest()) === digest ? 'unchanged' : 'changed'
    const payload_reference = references.get(path)
    result.push({ path, outcome, ...(payload_reference !== undefined && { payload_reference }) })
  }
  const unlisted: readonly string[] = [MANIFESTS[1], ...Object.values(SIGNATURES)]
  for (const path of below.keys())
    if (!listed.has(path) && !unlisted.includes(path)) result.push({ path, outcome: 'unlisted' })
  return result
}

/** The first bad verdict on files of the sealed log, else that on the entries. */
async function verifyLogs(
  crypto: BagCrypto,
  below: ReadonlyMap<string, BagFile>,
  trusted: Trusted,
): Promise<Verdict | undefined> {
  let log: Verdict | undefined
  for (const [path, file] of below) {
    if (path !== PROOFS_FILE && !CONSISTENCY_FILE.test(path)) continue
    const verdict = await crypto.verifyLog((await textOf(file)).split('\n'), trusted)
    if (!verdict.isGood) return { isGood: false, fault: `${path}: ${verdict.fault}` }
    if (path === PROOFS_FILE) log = verdict
  }
  return log
}

/** Whether the key that the bag names signed its second manifest, and is a trusted one. */
async function verifySignature(
  crypto: BagCrypto,
  below: ReadonlyMap<string, BagFile>,
  { keys }: Trusted,
): Promise<BagSignature> {
  const info = await textOf(below.get('bag-info.txt'))
  const [, named = ''] = new RegExp(`^${SIGNER_ELEMENT}: (\\S+)$`, 'm').exec(info) ?? []
  const [signature, signed] = [below.get(SIGNATURES.ed25519), below.get(MANIFESTS[1])]
  const key = parseKey(crypto.sha256, named)
  if (!signature || !signed || !key) return { state: 'unsigned', key: undefined }
  const text = formatKey(crypto.sha256, key)
  const isGood = await crypto.verify(key.public_key, await bytesOf(signed), await bytesOf(signature))
  if (!isGood) return { state: 'wrong', key: text }
  const isTrusted = keys.some((each) => {
    const known = parseKey(crypto.sha256, each)
    return known?.name === key.name && equal(known.public_key, key.public_key)
  })
  return { state: isTrusted ? 'good' : 'untrusted', key: text }
}

const listOfDigests = (manifest: string): [path: string, digest: string][] =>
  manifest.split('\n').flatMap((line) => {
    const [, digest, path] = /^([0-9a-f]{64})[ \t]+\*?(.+)$/i.exec(line.trimEnd()) ?? []
    return digest === undefined || path === undefined ? [] : [[path, digest.toLowerCase()]]
  })

/** References of recordings by their files: `contents.csv` quotes no cell. */
async function recordingsByFile(below: ReadonlyMap<string, BagFile>): Promise<Map<string, string>> {
  const lines = (await textOf(below.get('contents.csv'))).split('\r\n').map((line) => line.split(','))
  return new Map(lines.flatMap(([reference = '', , file]) => (file ? [[file, reference]] : [])))
}

async function bytesOf(file: BagFile): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  await file.read((piece) => void pieces.push(Uint8Array.from(piece)))
  return concat(...pieces)
}

const textOf = async (file: BagFile | undefined): Promise<string> =>
  file ? new TextDecoder().decode(await bytesOf(file)) : ''
