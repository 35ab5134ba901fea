import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { getEntry, getPages, type Script, scriptsWith } from '../apps/web/build/pages.ts'
import { AREAS, type Area, getAreas, getFolder } from '../apps/web/src/i18n/areas.ts'
import { LOCALES } from '../packages/contract/src/phrases.ts'
import { ROOT } from './run.ts'

const POSITIONS = '/dashboard/devices/$device_reference/gps'
/** Budgets of first loads in KiB (gzip), in English and in Portuguese: the build fails above (the portal's design). */
const SCRIPT_BUDGETS: readonly {
  page: string
  path: string
  also?: readonly string[]
  kib: readonly number[]
}[] = [
  { page: '/sign-in', path: '/sign-in', kib: [137, 142] },
  { page: '/dashboard', path: '/dashboard', kib: [193, 205] },
  { page: 'list of calls', path: '/dashboard/services/calls', kib: [222, 235] },
  { page: 'call', path: '/dashboard/services/calls/$payload_reference', kib: [231, 244] },
  { page: 'positions', path: POSITIONS, kib: [200, 230] },
  {
    page: 'device user',
    path: '/dashboard/devices/users/$device_user_reference',
    kib: [200, 230],
  },
  {
    page: 'positions with their map',
    path: POSITIONS,
    also: ['src/screens/positions/track-view.tsx', 'src/screens/positions/map/create-map.ts'],
    kib: [597, 627],
  },
]
const STYLE_BUDGET = 38
const CATALOGUE_BUDGET = 25
/** Maximum files of a first load, styles included; the rest of twenty requests is for data, menus and font. */
const FILE_BUDGET = 11
const DIST = join(ROOT, 'apps/web/dist')

export interface BudgetLine {
  name: string
  amount: number
  budget: number
  unit: 'KiB' | 'files'
}

/** Checks the built portal against its budgets: all static imports of each page. */
export async function measureBudgets(): Promise<BudgetLine[]> {
  const all = JSON.parse(await readFile(join(DIST, '.vite/scripts.json'), 'utf8')) as Script[]
  const filesWith = (sources: readonly string[]) => [...scriptsWith(all, sources)].map(({ file }) => file)
  const getTexts = (locale: string, areas: readonly Area[]) =>
    areas.map((area) => `src/i18n/locales/${getFolder(area)}${locale}.po`)
  const pages = new Map(getPages().map(({ path, needs }) => [path, needs]))
  const styles = (await readdir(join(DIST, 'assets')))
    .filter((name) => name.endsWith('.css'))
    .map((name) => `assets/${name}`)
  const entry = [...getEntry(all)].map(({ file }) => file)
  const lines: BudgetLine[] = []
  for (const { page, path, also, kib } of SCRIPT_BUDGETS) {
    const scriptsIn = (locale: string) => {
      const needs = [...(pages.get(path) ?? []), ...(also ?? []), ...getTexts(locale, getAreas(path))]
      return [...new Set([...entry, ...filesWith(needs)])]
    }
    const scripts = scriptsIn(LOCALES[0])
    for (const [i, locale] of LOCALES.entries()) {
      const amount = await weigh(scriptsIn(locale))
      lines.push({ name: `scripts of ${page} in ${locale}`, amount, budget: kib[i] ?? 0, unit: 'KiB' })
    }
    // The map loads once the device is known.
    if (also === undefined)
      lines.push({
        name: `files of ${page}`,
        amount: scripts.length + styles.length,
        budget: FILE_BUDGET,
        unit: 'files',
      })
  }
  lines.push({ name: 'styles', amount: await weigh(styles), budget: STYLE_BUDGET, unit: 'KiB' })
  for (const locale of LOCALES)
    for (const area of AREAS) {
      const texts = filesWith(getTexts(locale, [area]))
      lines.push({
        name: `${area} texts in ${locale}`,
        amount: await weigh(texts),
        budget: CATALOGUE_BUDGET,
        unit: 'KiB',
      })
    }
  return lines
}

async function weigh(files: Iterable<string>): Promise<number> {
  let bytes = 0
  for (const file of files) bytes += gzipSync(await readFile(join(DIST, file)), { level: 9 }).length
  return Math.round((bytes / 1024) * 10) / 10
}
