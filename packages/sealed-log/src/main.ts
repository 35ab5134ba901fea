import { createHash, createPublicKey, verify } from 'node:crypto'
import * as fs from 'node:fs'
import { join, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { createInflateRaw } from 'node:zlib'
import { logFaultPhrase, SIGNED_FILES } from '@custodia/contract'
import { ED25519_SPKI, type VerifyEd25519 } from './note.ts'
import {
  type BagCrypto,
  type BagFile,
  type BagSignature,
  getGaps,
  verifyBags,
  type ZipSpan,
} from './verify-bag.ts'
import { type TrustedMaterial, type Verdict, verifyFile } from './verify-file.ts'
import { getFacts, SIGNED_FAULTS, type SignedVerdict, verifySigned } from './verify-signed.ts'

const USAGE = `Verifies an export of Custodia, a signed document, a sealed log, or a proof of one of its entries, without a server.

  node custodia-verify.mjs <folder or file> --key=<key> [--checkpoint=<file> …]

  <folder>      of an export: unpacked, or its ZIP file
  --key         the key that must have signed, as the portal or the provider gave it to you, or a file with it
                or with public keys (PEM); repeat it for several
  --checkpoint  a checkpoint that you received earlier: the log must continue it
`

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

const getKey = (...spki: Uint8Array[]) =>
  createPublicKey({ key: Buffer.concat(spki), format: 'der', type: 'spki' })
const verifyEd25519: VerifyEd25519 = (public_key, message, signature) =>
  verify(null, message, getKey(ED25519_SPKI, public_key), signature)

const crypto: BagCrypto = {
  sha256,
  hasher: () => createHash('sha256'),
  verify: verifyEd25519,
  verifyP256: (spki, message, signature) =>
    verify('sha256', message, { key: getKey(spki), dsaEncoding: 'ieee-p1363' }, signature),
  verifyLog: (lines, trusted) => verifyFile({ sha256, verify: verifyEd25519 }, lines, trusted),
}

const filesBelow = (folder: string): BagFile[] =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !fs.statSync(join(folder, path)).isDirectory())
    .map((path) => ({
      path: path.replaceAll(sep, '/'),
      async read(onPiece) {
        for await (const piece of fs.createReadStream(join(folder, path))) onPiece(piece as Buffer)
      },
    }))

/** The files of a ZIP (PKWARE APPNOTE 6.3), which its directory at the end lists; undefined for another file. */
function filesOfZip(file: string): BagFile[] | undefined {
  const { size } = fs.statSync(file)
  const read = (at: number, length: number): Buffer => {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - at)))
    const from = fs.openSync(file, 'r')
    fs.readSync(from, bytes, 0, bytes.length, at)
    fs.closeSync(from)
    return bytes
  }
  if (read(0, 2).toString('latin1') !== 'PK') return undefined
  const start = Math.max(0, size - 0x1_00_50)
  const tail = read(start, size)
  const end = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end < 0) return []
  let [length, at, behind] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16), start + end]
  const [files, others]: [BagFile[], BagFile[]] = [[], []]
  if (end >= 76 && tail.readUInt32LE(end - 20) === ZIP64_LOCATOR) {
    // The large directory, which some programs find by the locator, some just before it, and some not at all.
    const large = tail.subarray(end - 76)
    if (tail.readBigUInt64LE(end - 12) !== BigInt((behind -= 76))) others.push(unread(`bytes from ${behind}`))
    const [short, shortAt] = [length, at]
    ;[length, at] = [Number(large.readBigUInt64LE(40)), Number(large.readBigUInt64LE(48))]
    if (![FULL, length].includes(short) || ![FULL, at].includes(shortAt))
      others.push(unread(`bytes from ${at}`))
  }
  const directory = read(at, length)
  const spans: ZipSpan[] = [{ from: at, to: at + length }]
  for (let entry = 0; entry + 46 <= directory.length;) {
    const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map((at) => directory.readUInt16LE(entry + at))
    const path = directory.toString('utf8', entry + 46, entry + 46 + name)
    const more = directory.subarray(entry + 46 + name, entry + 46 + name + extra)
    const [size = 0, packed = 0, offset = 0] = getNumbers(directory.subarray(entry), more, [24, 20, 42])
    const isDeflated = directory.readUInt16LE(entry + 10) !== 0
    const hasDescriptor = (directory.readUInt16LE(entry + 8) & 8) !== 0
    // Some programs go by the header before the content, or by a second name.
    const header = read(offset, 30)
    const from = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    const local = read(offset + 30, from - offset - 30)
    const ownMore = local.subarray(header.readUInt16LE(26))
    const sizes = getNumbers(header, ownMore, [22, 18]).join()
    const isSame = header.subarray(6, 10).equals(directory.subarray(entry + 8, entry + 12))
    const hasSecond = [more, ownMore].some((each) => getField(each, SECOND_NAME) <= each.length)
    if (!isSame || hasSecond || (sizes !== `${size},${packed}` && !(hasDescriptor && sizes === '0,0')))
      others.push(unread(path))
    const ownName = local.toString('utf8', 0, header.readUInt16LE(26))
    if (ownName !== path) others.push(unread(ownName))
    spans.push({ from: offset, to: from + packed, hasDescriptor })
    if (!path.endsWith('/'))
      files.push({
        path,
        async read(onPiece) {
          if (packed === 0) return
          const bytes = fs.createReadStream(file, { start: from, end: from + packed - 1 })
          const inflate = createInflateRaw()
          for await (const piece of isDeflated ? bytes.pipe(inflate) : bytes) onPiece(piece as Buffer)
          // Some programs unpack what follows a content.
          if (isDeflated && inflate.bytesWritten !== packed) onPiece(Buffer.from('more'))
        },
      })
    entry += 46 + name + extra + comment
  }
  return [...files, ...others, ...getGaps(spans, behind).map(unread)]
}

const unread = (path: string): BagFile => ({ path, read: async () => undefined })
const [ZIP64_LOCATOR, FULL, SECOND_NAME] = [0x07_06_4b_50, 0xff_ff_ff_ff, 0x70_75]

/** Where a part of an extra field begins; behind the end: it has none. */
function getField(extra: Buffer, id: number): number {
  let at = 4
  while (at <= extra.length && extra.readUInt16LE(at - 4) !== id) at += 4 + extra.readUInt16LE(at - 2)
  return at
}

/** Numbers of an entry; those of 4 GiB or more are in its extra field. */
function getNumbers(entry: Buffer, extra: Buffer, fields: readonly number[]): number[] {
  let at = getField(extra, 1)
  return fields.map((field) => {
    const number = entry.readUInt32LE(field)
    if (number < FULL) return number
    at += 8
    return Number(extra.readBigUInt64LE(at - 8))
  })
}

const FILE_FAULTS = {
  changed: 'changed: its SHA-256 is not the one in the manifest',
  missing: 'missing: the manifest lists it',
  unlisted: 'added: no manifest lists it',
  doubled: 'there are two files of this name',
} as const

const SIGNATURE_FAULTS: Readonly<Record<Exclude<BagSignature['state'], 'good'>, string>> = {
  unsigned: 'tagmanifest-sha256.txt is not signed',
  untrusted: 'tagmanifest-sha256.txt is signed with another key than yours',
  wrong: 'tagmanifest-sha256.txt was changed after it was signed, or the signature was',
  wrong_cms: 'tagmanifest-sha256.txt.p7s is missing, was changed, or is of another signer',
}

async function verifyExport(
  files: readonly BagFile[],
  trusted: TrustedMaterial,
): Promise<{ isGood: boolean; report: string[] }> {
  const found = await verifyBags(crypto, files, trusted)
  if (!found) return { isGood: false, report: ['no export: manifest-sha256.txt is missing'] }
  const faults = found.files.flatMap(({ path, outcome, payload_reference }) => {
    if (outcome === 'unchanged') return []
    const recording = payload_reference === undefined ? '' : ` (recording ${payload_reference})`
    return [`${path}${recording}: ${FILE_FAULTS[outcome]}`]
  })
  for (const { folder: name, signature, log } of found.bags) {
    if (signature.state !== 'good') faults.push(`${name}${SIGNATURE_FAULTS[signature.state]}`)
    if (log?.isGood === false) faults.push(`${name}${logFaultPhrase(log.fault, 'en-GB')}`)
  }
  if (faults.length > 0) return { isGood: false, report: faults }
  const report = found.bags.flatMap(({ signature, log }) => [
    `signed with ${signature.key}, as Ed25519 and CMS`,
    ...(log?.isGood
      ? [
          `${log.origin}: ${log.entries} entries proven in ${log.size} sealed ones`,
          ...notCompared(log.skipped),
        ]
      : []),
  ])
  return { isGood: true, report: [`${found.files.length} files unchanged`, ...report] }
}

function reportOn(verdict: SignedVerdict): { isGood: boolean; report: string[] } {
  const { fault, format, key_id } = verdict
  const { title } = SIGNED_FILES[format]
  if (fault) return { isGood: false, report: [`${title}: ${SIGNED_FAULTS[fault]} (key ${key_id})`] }
  const facts = getFacts(verdict).map(({ name, value, isTime }) => {
    return `${name.replaceAll('_', ' ')}: ${isTime ? new Date(Number(value) * 1000).toISOString() : JSON.stringify(value)}`
  })
  return { isGood: true, report: [title, `signed with key ${key_id}`, ...facts] }
}

async function verifyOne(
  file: string,
  trusted: TrustedMaterial,
): Promise<{ isGood: boolean; report: string[] }> {
  // Of larger files, only a log is read line by line.
  const text = fs.statSync(file).size < 0x10_00_00_00 ? fs.readFileSync(file, 'utf8') : ''
  const signed = await verifySigned(crypto, text, trusted.keys)
  if (signed) return reportOn(signed)
  const lines = createInterface({ input: fs.createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  const verdict: Verdict = await verifyFile({ sha256, verify: verifyEd25519 }, lines, trusted)
  if (!verdict.isGood) return { isGood: false, report: [logFaultPhrase(verdict.fault, 'en-GB')] }
  const { origin, size, entries, disclosed, checkpoints, skipped } = verdict
  const counts = `compared: entries ${entries}, of them readable ${disclosed}; checkpoints ${checkpoints}`
  return { isGood: true, report: [`${origin}, ${size} entries sealed`, counts, ...notCompared(skipped)] }
}

const notCompared = (skipped: number): string[] =>
  skipped > 0 ? [`checkpoints of yours not compared, because the proof is of another size: ${skipped}`] : []

/** Texts of a file may have control characters, with which a terminal would rewrite the verdict. */
const escaped = (text: string) => text.replaceAll(/\p{C}/gu, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`)

async function run(): Promise<number> {
  const several = { type: 'string' as const, multiple: true as const, default: [] as string[] }
  const options = { key: several, checkpoint: several }
  const { values, positionals } = parseArgs({ allowPositionals: true, options })
  const [file] = positionals
  if (file === undefined || values.key.length === 0) {
    process.stderr.write(USAGE)
    return 2
  }
  const trusted = {
    keys: values.key.map((key) => (fs.existsSync(key) ? fs.readFileSync(key, 'utf8') : key)),
    checkpoints: values.checkpoint.map((path) => fs.readFileSync(path, 'utf8')),
  }
  const files = fs.statSync(file).isDirectory() ? filesBelow(file) : filesOfZip(file)
  const { isGood, report } = await (files ? verifyExport(files, trusted) : verifyOne(file, trusted))
  const output = isGood ? process.stdout : process.stderr
  output.write(`${isGood ? 'GOOD' : 'NOT GOOD'}: ${report.map(escaped).join('\n  ')}\n`)
  return isGood ? 0 : 1
}

process.exitCode = await run().catch(({ message }: Error) => {
  process.stderr.write(`NOT VERIFIED: ${escaped(message)}\n`)
  return 2
})
