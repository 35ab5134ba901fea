import babel from '@rolldown/plugin-babel'
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { groups } from './build/chunks.ts'
import { preloadScript } from './build/preload-script.ts'
import { finishBuild } from './build/finish.ts'
import { loggedCalls } from './build/logged-calls.ts'
import { placesFile } from './build/places.ts'
import { routesConfig } from './build/routes.ts'
import { withoutNotes } from './build/without-notes.ts'

/** Where the API listens while `vite dev` serves the screens. */
const api = process.env.API_ADDRESS ?? 'http://127.0.0.1:4000'

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  plugins: [
    tanstackRouter(routesConfig),
    withoutNotes(),
    react(),
    lingui(),
    // 'message' keeps the source text, so that a catalogue that fails to load leaves English instead of bare ids.
    babel({ presets: [linguiTransformerBabelPreset({ descriptorFields: 'message' })] }),
    placesFile(),
    loggedCalls(),
    preloadScript(),
    finishBuild(),
  ],
  // The server writes a fresh nonce over this placeholder in every response; Vite's dev server has no such step.
  ...(command === 'build' ? { html: { cspNonce: '__CSP_NONCE__' } } : {}),
  build: {
    manifest: true,
    // Every browser here knows light-dark(); older targets would get a rewrite that the library's variables break.
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    // Data addresses in style sheets or scripts would need wider CSP sources.
    assetsInlineLimit: 0,
    // One sheet: a dozen small ones are a dozen requests, in an order of their own.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    // Schemas of the contract that a page does not name stay out of its chunks.
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups,
        },
      },
      treeshake: {
        moduleSideEffects: [{ test: /\/packages\/(contract|client|domain)\/src\//, sideEffects: false }],
      },
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
