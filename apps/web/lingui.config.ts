import { defineConfig } from '@lingui/conf'
import { formatter } from '@lingui/format-po'

/** What visitors see before they have signed in, and what any page may say: these texts load first, and alone. */
const PUBLIC = [
  'src/screens/landing',
  'src/screens/legal',
  'src/screens/sign-in',
  'src/screens/errors',
  'src/components/status-page.tsx',
  'src/components/frame',
  'src/shell/show-notice.tsx',
  'src/api',
]

/** Catalogues are plain .po files; line numbers are left out so that moving code does not touch translations. */
export default defineConfig({
  sourceLocale: 'en-GB',
  locales: ['en-GB', 'pt-BR'],
  catalogs: [
    { path: '<rootDir>/src/i18n/locales/public/{locale}', include: PUBLIC },
    {
      path: '<rootDir>/src/i18n/locales/{locale}',
      include: ['src'],
      exclude: PUBLIC.map((path) => (path.endsWith('.tsx') ? path : `${path}/**`)),
    },
  ],
  format: formatter({ lineNumbers: false, origins: false }),
  orderBy: 'message',
})
