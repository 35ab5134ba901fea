import { join } from 'node:path'
import type { Plugin } from 'vite'

const HELPER = 'export const __vitePreload ='
const PART_LOADER = join(import.meta.dirname, '../src/reload/load-part.ts')

/** Passes every dynamic import of the portal through `loadPart`, which waits for the connection. */
export function guardedParts(): Plugin {
  return {
    name: 'custodia:guarded-parts',
    apply: 'build',
    transform: {
      filter: { id: /vite\/preload-helper/ },
      handler: (code) => {
        if (!code.includes(HELPER)) throw new Error('the preload helper of Vite has changed')
        return {
          code: [
            `import { loadPart } from ${JSON.stringify(PART_LOADER)}`,
            code.replace(HELPER, 'const preloaded ='),
            'export const __vitePreload = (load, ...rest) => loadPart(String(load), () => preloaded(load, ...rest))',
          ].join(';\n'),
          map: null,
        }
      },
    },
  }
}
