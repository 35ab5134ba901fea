import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import type { Plugin } from 'vite'

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
