import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type BagCrypto, type BagFile, type BagSignature, verifyBags } from './verify-bag.ts'
import { type Trusted, type Verdict, verifyFile } from './verify-file.ts'

const USAGE = `Verifies an export of Custodia, a sealed log, or a proof of one of its entries, without a server.

  node custodia-verify.mjs <folder or file> --key=<key> [--checkpoint=<file> …]

  <folder>      of an unpacked export
  --key         the key that must have signed, as the portal or the provider gave it to you; repeat it for several
  --checkpoint  a checkpoint that you received earlier: the log must continue it
`

/** DER of a public Ed25519 key, before its 32 bytes. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

function verifyEd25519(public_key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.concat([SPKI, public_key]), format: 'der', type: 'spki' })
  return verify(null, message, key, signature)
}

const crypto: BagCrypto = {
  sha256,
  hasher: () => createHash('sha256'),
  verify: verifyEd25519,
  verifyLog: (lines, trusted) => verifyFile({ sha256, verify: verifyEd25519 }, lines, trusted),
}

const filesBelow = (folder: string): BagFile[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !statSync(join(folder, path)).isDirectory())
    .map((path) => ({
      path: path.replaceAll(sep, '/'),
      async read(onPiece) {
        for await (const piece of createReadStream(join(folder, path))) onPiece(piece as Buffer)
      },
    }))

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
}

async function verifyFolder(
  folder: string,
  trusted: Trusted,
): Promise<{ isGood: boolean; report: string[] }> {
  const found = await verifyBags(crypto, filesBelow(folder), trusted)
  if (!found) return { isGood: false, report: ['no export: manifest-sha256.txt is missing'] }
  const faults = found.files.flatMap(({ path, outcome, payload_reference }) => {
    if (outcome === 'unchanged') return []
    const recording = payload_reference === undefined ? '' : ` (recording ${payload_reference})`
    return [`${path}${recording}: ${FILE_FAULTS[outcome]}`]
  })
  for (const { folder: name, signature, log } of found.bags) {
    if (signature.state !== 'good') faults.push(`${name}${SIGNATURE_FAULTS[signature.state]}`)
    if (log?.isGood === false) faults.push(`${name}${log.fault}`)
  }
  if (faults.length > 0) return { isGood: false, report: faults }
  const report = found.bags.flatMap(({ signature, log }) => [
    `signed with ${signature.key}`,
    ...(log?.isGood ? [`${log.origin}: ${log.entries} entries proven in ${log.size} sealed ones`] : []),
  ])
  return { isGood: true, report: [`${found.files.length} files unchanged`, ...report] }
}

async function verifyOne(file: string, trusted: Trusted): Promise<{ isGood: boolean; report: string[] }> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  const verdict: Verdict = await verifyFile({ sha256, verify: verifyEd25519 }, lines, trusted)
  if (!verdict.isGood) return { isGood: false, report: [verdict.fault] }
  const { origin, size, entries, disclosed, checkpoints } = verdict
  return {
    isGood: true,
    report: [
      `${origin}, ${size} entries sealed`,
      `${entries} entries and ${checkpoints} checkpoints compared; ${disclosed} entries with readable fields`,
    ],
  }
}

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      key: { type: 'string', multiple: true, default: [] },
      checkpoint: { type: 'string', multiple: true, default: [] },
    },
  })
  const [file] = positionals
  if (file === undefined || values.key.length === 0) {
    process.stderr.write(USAGE)
    return 2
  }
  const trusted = {
    keys: values.key,
    checkpoints: values.checkpoint.map((path) => readFileSync(path, 'utf8')),
  }
  const isFolder = statSync(file).isDirectory()
  const { isGood, report } = await (isFolder ? verifyFolder(file, trusted) : verifyOne(file, trusted))
  const text = `${isGood ? 'GOOD' : 'NOT GOOD'}: ${report.join('\n  ')}\n`
  const output = isGood ? process.stdout : process.stderr
  output.write(text)
  return isGood ? 0 : 1
}

process.exitCode = await run()
