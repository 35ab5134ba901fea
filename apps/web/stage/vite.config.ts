import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin'
import babel from '@rolldown/plugin-babel'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Components alone on a page, for the tests in `e2e/components`: what the portal is built with, but for its pages. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [
    react(),
    lingui(),
    babel({ presets: [linguiTransformerBabelPreset({ descriptorFields: 'message' })] }),
  ],
  build: { emptyOutDir: true, minify: false, reportCompressedSize: false, target: 'chrome123' },
})
