import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import type { Plugin } from 'vite'
import { assertNoCircles, preloadTable, type Script, getScripts } from './pages.ts'

const COMPRESSIBLE = /\.(m?js|css|svg|json|webmanifest|txt)$/
/** Bytes below which compression saves nothing. */
const SMALLEST_WORTH_COMPRESSING = 1024

/** Finishes a production build: build id, preload list, and `.br` and `.gz` copies of every text asset. */
export function finishBuild(): Plugin {
  let folder = ''
  let scripts: Script[] = []
  return {
    name: 'custodia:finish-build',
    apply: 'build',
    configResolved: (config) => {
      folder = join(config.root, config.build.outDir)
    },
    generateBundle: (_, bundle) => {
      scripts = getScripts(bundle, join(folder, '..'))
      assertNoCircles(scripts)
    },
    // Not closeBundle, which also runs after an error and would hide it.
    writeBundle: async () => {
      const files = (await readdir(folder, { recursive: true })).toSorted()
      const build = createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 16)
      const page = join(folder, 'index.html')
      const text = (await readFile(page, 'utf8')).replace('__BUILD_ID__', build)
      // Before the first paint: text in another font has other line breaks, and would move the page.
      await writeFile(page, text.replace('<link rel="stylesheet"', `${getFont(files)}$&`))
      await writeFile(join(folder, 'version.json'), `${JSON.stringify({ build })}\n`)
      await mkdir(join(folder, '.vite'), { recursive: true })
      await writeFile(join(folder, '.vite/scripts.json'), JSON.stringify(scripts))
      await writeFile(join(folder, '.vite/preload.json'), JSON.stringify(preloadTable(scripts)))
      await compressFolder(folder)
    },
  }
}

/** Preloads the font of Latin text. Throws when the build has none. */
function getFont(files: readonly string[]): string {
  const font = files.find((file) => /\binter-latin-wght-normal-[\w-]+\.woff2$/.test(file))
  if (font === undefined) throw new Error('the build has no font of Latin text')
  return `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${font}">`
}

async function compressFolder(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  await Promise.all(
    names.filter((name) => COMPRESSIBLE.test(name)).map((name) => compressFile(join(folder, name))),
  )
}

async function compressFile(file: string): Promise<void> {
  // The build id is read uncached and must never come from a stale compressed copy.
  if (file.endsWith('version.json')) return
  const content = await readFile(file)
  if (content.length < SMALLEST_WORTH_COMPRESSING) return
  const brotli = promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
  await writeFile(`${file}.br`, await brotli)
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }))
}

/** Writes `migration-example.zip`, the example of docs/migration.md, for users to download. */
export function exampleFile(): Plugin {
  let folder = ''
  return {
    name: 'custodia:example',
    apply: 'build',
    configResolved: ({ root }) => {
      folder = join(root, '../../docs/migration-example')
    },
    async generateBundle() {
      // A fixed time, so that two builds are alike.
      const zip = new ZipWriter(new Uint8ArrayWriter(), { lastModDate: new Date('2026-01-01T00:00:00Z') })
      const found = await readdir(folder, { recursive: true, withFileTypes: true })
      const paths = found.filter((entry) => entry.isFile()).map((file) => join(file.parentPath, file.name))
      for (const path of paths.toSorted())
        await zip.add(path.slice(folder.length + 1), new Uint8ArrayReader(await readFile(path)))
      this.emitFile({ type: 'asset', fileName: 'migration-example.zip', source: await zip.close() })
    },
  }
}
