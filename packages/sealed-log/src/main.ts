import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { verifyFile } from './verify-file.ts'

const USAGE = `Verifies a sealed log of Custodia, or a proof of one of its entries, without a server.

  node custodia-verify.mjs <file> --key=<key> [--checkpoint=<file> …]

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
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  const verdict = await verifyFile({ sha256, verify: verifyEd25519 }, lines, trusted)
  if (!verdict.isGood) {
    process.stderr.write(`NOT GOOD: ${verdict.fault}\n`)
    return 1
  }
  const { origin, size, entries, disclosed, checkpoints } = verdict
  process.stdout.write(
    `GOOD: ${origin}, ${size} entries sealed
  ${entries} entries and ${checkpoints} checkpoints compared; ${disclosed} entries with readable fields\n`,
  )
  return 0
}

process.exitCode = await run()
