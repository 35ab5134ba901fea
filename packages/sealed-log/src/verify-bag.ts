import { concat, equal, fromHex, type Sha256, toHex } from './bytes.ts'
import { formatKey, keysIn, parseKey } from './note.ts'
import type { TrustedMaterial, Verdict } from './verify-file.ts'

/** Manifests of a bag (RFC 8493): of the recordings, and of the files that describe them. */
const MANIFESTS = ['manifest-sha256.txt', 'tagmanifest-sha256.txt'] as const
/** Signatures of the second manifest: Ed25519, and CMS for other programs, with the certificate of its key. */
export const SIGNATURES = { ed25519: `${MANIFESTS[1]}.sig`, cms: `${MANIFESTS[1]}.p7s` } as const
/** The element of `bag-info.txt` that names the key. */
export const SIGNER_ELEMENT = 'Signing-Key'
/** Entries of the sealed log about the recordings, with their proofs. */
export const PROOFS_FILE = 'evidence/sealed-entries.jsonl'
/** Proofs that the log continues checkpoints with a time stamp. */
const CONSISTENCY_FILE = /^evidence\/consistency-\d+\.json$/

/** A file by its path in the archive. */
export interface BagFile {
  path: string
  read(onPiece: (piece: Uint8Array) => void): Promise<unknown>
}

/** The outcome for one file. */
export interface VerifiedFile {
  path: string
  outcome: 'unchanged' | 'changed' | 'missing' | 'unlisted' | 'doubled'
  /** The recording of the file, as `contents.csv` names it. */
  payload_reference?: string
}

/**
 * Who signed a bag. `untrusted`: the signatures are good, but the auditor has another key. `wrong_cms`: the CMS file is
 * missing, changed, or of another signer.
 */
export type BagSignature =
  | { state: 'good' | 'untrusted' | 'wrong' | 'wrong_cms'; key: string }
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
  /** Whether an ECDSA signature (P-256 and SHA-256; both numbers, 32 bytes each) is good; the key is an SPKI. */
  verifyP256(spki: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
  verifyLog(lines: Iterable<string>, trusted: TrustedMaterial): Promise<Verdict>
}

/**
 * Compares every file with the manifest of its bag, and the manifest with its signature. Undefined without a manifest.
 * Several bags may lie side by side; a manifest inside of a bag counts as a file.
 */
export async function verifyBags(
  crypto: BagCrypto,
  files: readonly BagFile[],
  trusted: TrustedMaterial,
): Promise<{ files: VerifiedFile[]; bags: VerifiedBag[] } | undefined> {
  const found = new Map<string, Map<string, BagFile>>()
  const manifests = files.filter(({ path }) => /(?:^|\/)manifest-sha256\.txt$/.test(path))
  const folders = manifests.map(({ path }) => path.slice(0, -MANIFESTS[0].length))
  const outer: string[] = []
  for (const folder of folders.toSorted())
    if (outer.length === 0 || !folder.startsWith(`${outer.at(-1)}`)) outer.push(folder)
  for (const folder of outer) found.set(folder, new Map())
  if (found.size === 0) return undefined
  const result: VerifiedFile[] = []
  // In order, so that an archive of many bags takes no longer than another.
  let next = 0
  for (const file of files.toSorted((a, b) => Number(a.path > b.path) - Number(a.path < b.path))) {
    while (next < outer.length && `${outer[next]}` <= file.path) next++
    const folder = outer[next - 1] ?? ''
    const below = file.path.startsWith(folder) ? found.get(folder) : undefined
    const path = file.path.slice(below ? folder.length : 0)
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
type Files = ReadonlyMap<string, BagFile>

async function verifyListed({ hasher }: BagCrypto, below: Files): Promise<VerifiedFile[]> {
  const listed = new Map<string, string>()
  for (const name of MANIFESTS)
    for (const [path, digest] of listOfDigests(await getText(below.get(name)))) listed.set(path, digest)
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
  below: Files,
  trusted: TrustedMaterial,
): Promise<VerifiedBag['log']> {
  let log: VerifiedBag['log']
  for (const [path, file] of below) {
    if (path !== PROOFS_FILE && !CONSISTENCY_FILE.test(path)) continue
    const verdict = await crypto.verifyLog((await getText(file)).split('\n'), trusted)
    if (!verdict.isGood) return { isGood: false, fault: { ...verdict.fault, path } }
    if (path === PROOFS_FILE) log = verdict
  }
  return log
}

/** Whether the key that the bag names signed its second manifest, and is a trusted one. */
async function verifySignature(
  crypto: BagCrypto,
  below: Files,
  { keys }: TrustedMaterial,
): Promise<BagSignature> {
  const info = await getText(below.get('bag-info.txt'))
  const [, named = ''] = new RegExp(`^${SIGNER_ELEMENT}: (\\S+)$`, 'm').exec(info) ?? []
  const [signature, signed] = [below.get(SIGNATURES.ed25519), below.get(MANIFESTS[1])]
  const key = parseKey(crypto.sha256, named)
  if (!signature || !signed || !key) return { state: 'unsigned', key: undefined }
  const text = formatKey(crypto.sha256, key)
  const manifest = await getBytes(signed)
  const isGood = await crypto.verify(key.public_key, manifest, await getBytes(signature))
  if (!isGood) return { state: 'wrong', key: text }
  const cms = below.get(SIGNATURES.cms)
  if (!cms || !(await verifyCms(crypto, key.public_key, await getBytes(cms), manifest)))
    return { state: 'wrong_cms', key: text }
  const isTrusted = keys
    .flatMap((each) => keysIn(crypto.sha256, each, key.name))
    .some((known) => known.name === key.name && equal(known.public_key, key.public_key))
  return { state: isTrusted ? 'good' : 'untrusted', key: text }
}

/** An entry of a ZIP with its content, or the directory. */
export interface ZipSpan {
  from: number
  to: number
  /** A checksum and sizes follow. */
  hasDescriptor?: boolean
}
const DESCRIPTORS = [12, 16, 20, 24]

/** What no entry of a ZIP names, from its start to `end`: some programs unpack it. */
export function getGaps(spans: readonly ZipSpan[], end: number): string[] {
  let before: ZipSpan = { from: 0, to: 0 }
  return [...spans.toSorted((a, b) => a.from - b.from), { from: end, to: end }].flatMap((span) => {
    const { to, hasDescriptor = false } = before
    before = span
    const isNext = hasDescriptor ? DESCRIPTORS.includes(span.from - to) : span.from === to
    return isNext ? [] : [`bytes ${to} to ${span.from}`]
  })
}

const constant = (digits: string): Uint8Array => fromHex(digits) ?? new Uint8Array()
const SIGNED_DATA = constant('06092a864886f70d010702')
const DATA = constant('06092a864886f70d010701')
const SHA256 = constant('300b0609608648016503040201')
const ECDSA_SHA256 = constant('300a06082a8648ce3d040302')
const VERSION_1 = constant('020101')

/** An element of DER: its bytes, and the elements in it. */
interface Der {
  bytes: Uint8Array
  body: Uint8Array
}

function getElements(bytes: Uint8Array | undefined): Der[] {
  const elements: Der[] = []
  for (let from = 0; bytes && from < bytes.length;) {
    let [start, length] = [from + 2, bytes[from + 1] ?? 0]
    if (length > 128) {
      const digits = bytes.subarray(start, (start += length - 128))
      length = digits.reduce((sum, digit) => sum * 256 + digit, 0)
    }
    elements.push({ bytes: bytes.slice(from, start + length), body: bytes.slice(start, start + length) })
    from = start + length
  }
  return elements
}

/** An element of these parts. */
function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = concat(...parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return concat(Uint8Array.of(tag, ...size), body)
}

/** A number of a signature, in 32 bytes; and its only encoding. */
const number32 = (body: Uint8Array): Uint8Array => concat(new Uint8Array(32), body).slice(-32)
function integer(number: Uint8Array): Uint8Array {
  const digits = number.slice(number.findIndex((byte) => byte !== 0))
  return (digits[0] ?? 0) < 128 ? der(0x02, digits) : der(0x02, Uint8Array.of(0), digits)
}

/** Whether a CMS file (RFC 5652) is exactly a signature of the manifest with a key that the account's key certified. */
async function verifyCms(
  crypto: BagCrypto,
  public_key: Uint8Array,
  cms: Uint8Array,
  manifest: Uint8Array,
): Promise<boolean> {
  const [, content] = getElements(getElements(cms)[0]?.body)
  const [, , , certificates, signers] = getElements(getElements(content?.body)[0]?.body)
  const [certified, , bits] = getElements(getElements(certificates?.body)[0]?.body)
  const [, serial, algorithm, issuer, , , spki] = getElements(certified?.body)
  const signature = getElements(getElements(signers?.body)[0]?.body)[4]
  const [r, s] = getElements(getElements(signature?.body)[0]?.body)
  if (!certified || !bits || !serial || !algorithm || !issuer || !spki || !r || !s) return false
  const numbers = [number32(r.body), number32(s.body)]
  const certificate = der(0x30, certified.bytes, algorithm.bytes, der(0x03, bits.body))
  const signer = [VERSION_1, der(0x30, issuer.bytes, serial.bytes), SHA256, ECDSA_SHA256]
  const value = der(0x04, der(0x30, ...numbers.map(integer)))
  const parts = [der(0x31, SHA256), der(0x30, DATA), der(0xa0, certificate)]
  const data = der(0x30, VERSION_1, ...parts, der(0x31, der(0x30, ...signer, value)))
  // No byte is left that neither signature covers.
  if (!equal(cms, der(0x30, SIGNED_DATA, der(0xa0, data)))) return false
  return (
    bits.body[0] === 0 &&
    (await crypto.verify(public_key, certified.bytes, bits.body.slice(1))) &&
    (await crypto.verifyP256(spki.bytes, manifest, concat(...numbers)))
  )
}

const listOfDigests = (manifest: string): [path: string, digest: string][] =>
  manifest.split('\n').flatMap((line) => {
    const [, digest, path] = /^([0-9a-f]{64})[ \t]+\*?(\S[^]*)$/i.exec(line.trimEnd()) ?? []
    return digest === undefined || path === undefined ? [] : [[path, digest.toLowerCase()]]
  })

/** References of recordings by their files: `contents.csv` quotes no cell. */
async function recordingsByFile(below: Files): Promise<Map<string, string>> {
  const lines = (await getText(below.get('contents.csv'))).split('\r\n').map((line) => line.split(','))
  return new Map(lines.flatMap(([reference = '', , file]) => (file ? [[file, reference]] : [])))
}

async function getBytes(file: BagFile): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  await file.read((piece) => void pieces.push(Uint8Array.from(piece)))
  return concat(...pieces)
}

const getText = async (file: BagFile | undefined): Promise<string> =>
  file ? new TextDecoder().decode(await getBytes(file)) : ''
