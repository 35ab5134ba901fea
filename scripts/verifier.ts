import { readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'oxfmt'
import { fill } from '../packages/contract/src/phrases.ts'
import { ROOT } from './run.ts'

/** The sources of the offline verifier, each after those that it uses. */
const SOURCES = [
  'packages/contract/src/canonical.ts',
  'packages/contract/src/signed-files.ts',
  'packages/contract/src/log-faults.ts',
  'packages/sealed-log/src/bytes.ts',
  'packages/sealed-log/src/merkle.ts',
  'packages/sealed-log/src/note.ts',
  'packages/sealed-log/src/verify-file.ts',
  'packages/sealed-log/src/verify-bag.ts',
  'packages/sealed-log/src/verify-signed.ts',
  'packages/sealed-log/src/main.ts',
]

/** The offline verifier: one file, so that an auditor can read it and run it anywhere. */
export const VERIFIER = join(ROOT, 'apps/web/public/custodia-verify.mjs')

const HEAD = `#!/usr/bin/env node
// Verifies exports, signed documents and the sealed log of Custodia offline: Node 20 or newer, no packages. See docs/evidence.md.
// Made by scripts/verifier.ts of packages/sealed-log/src.
`

/** The text of the offline verifier: its sources without types and Portuguese, one after the other. */
export async function makeVerifier(): Promise<string> {
  const imports = new Set<string>()
  const parts = [String(fill)]
  for (const path of SOURCES) {
    const javascript = stripTypeScriptTypes(await readFile(join(ROOT, path), 'utf8'))
    const body = javascript.replaceAll(/^import [\s\S]*? from '([^']+)'$/gm, (line, from: string) => {
      if (from.startsWith('node:')) imports.add(line.trim())
      return ''
    })
    const english = body.replaceAll(/phrase\(\s*('[^']*'),\s*'[^']*',?\s*\)/g, "{ 'en-GB': $1 }")
    parts.push(english.replaceAll(/^export (?=const|function|class|async)/gm, ''))
  }
  const text = `${HEAD}${[...imports].toSorted().join('\n')}\n${parts.join('\n')}`
  // Comments of types go with them.
  const comments = /^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n\n/gm
  const style = { printWidth: 120, semi: false, singleQuote: true } as const
  return (await format(VERIFIER, text.replaceAll(/[ \t]+$/gm, '').replaceAll(comments, '\n'), style)).code
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(VERIFIER, await makeVerifier())
