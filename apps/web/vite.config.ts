import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin'
import babel from '@rolldown/plugin-babel'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { groupModules } from './build/chunks.ts'
import { exampleFile, finishBuild } from './build/finish.ts'
import { guardedParts } from './build/guarded-parts.ts'
import { placesFile } from './build/places.ts'
import { preloadScript } from './build/preload-script.ts'
import { themeStyles } from './build/theme-styles.ts'
import { CALLS } from './src/screens/activities/calls.ts'
import { ACCOUNT_NAMES } from './src/screens/roles/account-actions.ts'

/** API address of `vite dev`. */
const api = process.env.API_ADDRESS ?? 'http://127.0.0.1:4000'

/** Plugins that decide which modules exist. */
const modulePlugins = () => [withoutNotes(), themeStyles(), react(), inlinedCalls(), guardedParts()]
// Removes unused contract schemas from a page's chunks.
const treeshake = {
  moduleSideEffects: [{ test: /\/packages\/(contract|client|domain)\/src\//, sideEffects: false }],
}

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  plugins: [
    ...modulePlugins(),
    lingui(),
    withoutSourceTexts(),
    // 'message' keeps the source text, so that a failed catalogue shows English instead of ids.
    babel({ presets: [linguiTransformerBabelPreset({ descriptorFields: 'message' })] }),
    placesFile(),
    exampleFile(),
    groupModules({ root: import.meta.dirname, plugins: modulePlugins(), treeshake }),
    preloadScript(),
    finishBuild(),
  ],
  // The server replaces this placeholder with a nonce per response; Vite's dev server does not.
  ...(command === 'build' ? { html: { cspNonce: '__CSP_NONCE__' } } : {}),
  build: {
    // All supported browsers know light-dark(); the rewrite for older targets breaks the library's variables.
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    // Data URLs in style sheets or scripts would need a wider CSP.
    assetsInlineLimit: 0,
    // One sheet instead of a dozen requests in an undefined order.
    cssCodeSplit: false,
    // The map library, which loads with a map only.
    chunkSizeWarningLimit: 1200,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      treeshake,
      output: { codeSplitting: { includeDependenciesRecursively: false } },
      checks: { pluginTimings: false },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ['/admin', '/client', '/device', '/media', '/oidc', '/health'].map((path) => [
        path,
        { target: api, changeOrigin: false },
      ]),
    ),
  },
}))

/** Fields of the endpoint table that only API docs and the server read. */
const NOTES = /\b(?:summary:\s*(?:'(?:[^'\\]|\\.)*'|`[^`]*`)|support: true),\n/g

/** Removes endpoint fields from the portal that it never reads. */
function withoutNotes(): Plugin {
  return {
    name: 'custodia:without-notes',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/packages\/contract\/src\// },
      handler: (code) => ({ code: code.replaceAll(NOTES, ''), map: null }),
    },
  }
}

/** Removes texts from the English catalogues that scripts have already, as the source texts of their phrases. */
function withoutSourceTexts(): Plugin {
  return {
    name: 'custodia:without-source-texts',
    apply: 'build',
    transform: {
      filter: { id: /\/en-GB\.po$/ },
      handler: async (code) => {
        const { messages } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
          messages: Record<string, readonly unknown[]>
        }
        const compiled = Object.entries(messages).filter(([, parts]) => !isSourceText(parts))
        return { code: `export const messages = ${JSON.stringify(Object.fromEntries(compiled))}`, map: null }
      },
    },
  }
}

/** Whether a compiled text equals its source: it has no placeholder, and nothing that the compiler unescapes. */
const isSourceText = ([text, ...others]: readonly unknown[]): boolean =>
  others.length === 0 && typeof text === 'string' && !/['\\]/.test(text)

/** Inlines what pages know about all calls at build time, so that they load no schemas of calls. */
function inlinedCalls(): Plugin {
  return {
    name: 'custodia:inlined-calls',
    apply: 'build',
    load: {
      filter: { id: /\/screens\/(?:activities\/calls|roles\/account-actions)\.ts$/ },
      handler: (id) =>
        id.endsWith('calls.ts')
          ? `export const CALLS = ${JSON.stringify(CALLS)}`
          : `export const ACCOUNT_NAMES = ${JSON.stringify(ACCOUNT_NAMES)}`,
    },
  }
}
