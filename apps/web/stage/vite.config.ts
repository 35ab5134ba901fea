import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin'
import babel from '@rolldown/plugin-babel'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { guardedParts } from '../build/guarded-parts.ts'
import { themeStyles } from '../build/theme-styles.ts'

/** Build of single components for the tests in `e2e/components`: the portal's configuration without its pages. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [
    themeStyles(),
    react(),
    guardedParts(),
    lingui(),
    babel({ presets: [linguiTransformerBabelPreset({ descriptorFields: 'message' })] }),
  ],
  // One sheet and one first script, as in the portal: the order of style rules is that of the imports.
  build: {
    emptyOutDir: true,
    minify: false,
    reportCompressedSize: false,
    target: 'chrome123',
    cssCodeSplit: false,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'stage', tags: ['$initial'] }] } } },
  },
})
