import { defineConfig } from '@lingui/conf'
import { formatter } from '@lingui/format-po'
import { type Area, getFolder, SOURCES } from './src/i18n/areas.ts'

const below = (paths: readonly string[]) => paths.map((path) => (/\.tsx?$/.test(path) ? path : `${path}/**`))
const catalogue = (area: Area) => `<rootDir>/src/i18n/locales/${getFolder(area)}{locale}`

/** Catalogues are plain .po files; line numbers are left out so that moving code does not touch translations. */
export default defineConfig({
  sourceLocale: 'en-GB',
  locales: ['en-GB', 'pt-BR'],
  catalogs: [
    ...Object.entries(SOURCES).map(([area, include]) => ({
      path: catalogue(area as Area),
      include: [...include],
    })),
    { path: catalogue('portal'), include: ['src'], exclude: Object.values(SOURCES).flatMap(below) },
  ],
  format: formatter({ lineNumbers: false, origins: false }),
  orderBy: 'message',
})
