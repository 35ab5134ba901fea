/**
 * Verifies certificates of destruction, without server, database or network (docs/destruction.md):
 *
 *     npm run certificate -- <certificate.json> --key=<public keys: PEM, or the answer of the call for keys> [--key=…]
 *
 * Ends with 0 when it is good, with 1 when it was altered, with 2 when none of the keys signed it, with 3 when it cannot be read.
 */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import {
  type Checked,
  checkCertificate,
  publicKeysIn,
} from '../apps/server/src/destruction/certificates/check.ts'

const EXIT = { good: 0, altered: 1, unknown_key: 2, unreadable: 3 } as const
const USAGE = 'npm run certificate -- <certificate.json> --key=<public key.pem> [--key=…]'

function sentenceOf(checked: Checked): string {
  if (checked.outcome === 'altered') return 'ALTERED: it does not say what was signed. It proves nothing.'
  if (checked.outcome === 'unreadable')
    return 'NOT READABLE: it is cut off, or is no certificate of destruction. It proves nothing.'
  if (checked.outcome === 'unknown_key')
    return `UNKNOWN KEY: it names key ${JSON.stringify(checked.key_id.slice(0, 64))}, which is none of those given. It was not verified.`
  const { client, certificate_reference, part, parts, payloads, began_at, ended_at } = checked.certificate
  const at = (seconds: number) => new Date(seconds * 1000).toISOString()
  return `GOOD: certificate ${certificate_reference} (part ${part} of ${parts}) of ${client}: ${payloads.length} payloads destroyed between ${at(began_at)} and ${at(ended_at)}, signed by key ${checked.key_id}.`
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { key: { type: 'string', multiple: true, default: [] } },
  })
  const [path] = positionals
  if (path === undefined || positionals.length > 1 || values.key.length === 0) throw new Error(USAGE)
  const keys = await Promise.all(values.key.map(async (file) => publicKeysIn(await readFile(file, 'utf8'))))
  const checked = checkCertificate(await readFile(path, 'utf8'), keys.flat())
  console.log(`${path}: ${sentenceOf(checked)}`)
  return EXIT[checked.outcome]
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 4
  },
)
