import { defineConfig } from '@lingui/conf'
import { formatter } from '@lingui/format-po'

/** Catalogues are plain .po files; line numbers are left out so that moving code does not touch translations. */
export default defineConfig({
  sourceLocale: 'en-GB',
  locales: ['en-GB', 'pt-BR'],
  catalogs: [{ path: '<rootDir>/src/i18n/locales/{locale}', include: ['src'] }],
  format: formatter({ lineNumbers: false, origins: false }),
  orderBy: 'message',
})
