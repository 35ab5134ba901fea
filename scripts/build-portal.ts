import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT, run } from './run.ts'

/** Inputs of the portal's build. */
const SOURCES = [
  'apps/web',
  ...['client', 'contract', 'domain', 'sealed-log', 'waveform'].map((name) => `packages/${name}/src`),
  'package-lock.json',
]
const STAMP = join(ROOT, 'apps/web/dist/.sources')

/** Builds the portal unless the existing build has the same sources. Throws when the build fails. */
export async function buildPortal(say: (step: string) => void): Promise<void> {
  const wanted = await digest()
  if (existsSync(STAMP) && (await readFile(STAMP, 'utf8')) === wanted) return
  say('Building the portal …')
  const code = await run('npm', ['run', '-s', '-w', '@custodia/web', 'build'], { quiet: true })
  if (code !== 0) throw new Error('the portal could not be built; run: npm run build -w @custodia/web')
  // Of the sources before: a change during the build is built next time.
  await writeFile(STAMP, wanted)
}

async function digest(): Promise<string> {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    for (const path of await filesBelow(source))
      hash
        .update(path)
        .update('\0')
        .update(await readFile(join(ROOT, path)))
  }
  return hash.digest('hex')
}

/** Generated files do not count: they would change the digest of their own build. */
const GENERATED = /\/(?:dist|node_modules)\/|\.gen\.(?:ts|json)$|\/locales\/.*\.js$/

async function filesBelow(source: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, source), { recursive: true, withFileTypes: true }).catch(
    () => undefined,
  )
  if (!entries) return [source]
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
    .filter((path) => !GENERATED.test(`/${path}`))
    .sort()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPortal(console.log)
