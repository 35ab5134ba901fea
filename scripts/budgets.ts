import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { LOCALES } from '../packages/contract/src/phrases.ts'
import { ROOT } from './run.ts'

/** First load of each page, KiB gzipped, the texts of one language included: above it the build is refused (the portal's design). */
const SCRIPT_BUDGETS: readonly { page: string; routes: string[]; kib: number; isPublic?: true }[] = [
  { page: '/sign-in', routes: ['routes/sign-in'], kib: 150, isPublic: true },
  { page: '/dashboard', routes: ['routes/dashboard/route', 'routes/dashboard/index'], kib: 210 },
  { page: 'list of calls', routes: ['routes/dashboard/route', 'services/calls/index'], kib: 245 },
  { page: 'call', routes: ['routes/dashboard/route', 'services/calls/$payload_reference'], kib: 250 },
]
const STYLE_BUDGET = 45
const CATALOGUE_BUDGET = 25
const DIST = join(ROOT, 'apps/web/dist')

interface Chunk {
  file: string
  css?: string[]
  imports?: string[]
  isEntry?: boolean
}
type Manifest = Record<string, Chunk>

export interface BudgetLine {
  name: string
  kib: number
  budget: number
}

/** Measures the built portal against its budgets: everything that a page loads statically. */
export async function measureBudgets(): Promise<BudgetLine[]> {
  const manifest = JSON.parse(await readFile(join(DIST, '.vite/manifest.json'), 'utf8')) as Manifest
  const catalogues = LOCALES.map((locale) => {
    const all = Object.keys(manifest).filter(
      (key) => key.includes('locales/') && key.includes(`${locale}.po`),
    )
    return { locale, all, isPublic: all.filter((key) => key.includes('/public/')) }
  })
  const lines: BudgetLine[] = []
  const allStyles = new Set<string>()
  for (const { page, routes, kib, isPublic } of SCRIPT_BUDGETS) {
    const texts = catalogues[0]?.[isPublic ? 'isPublic' : 'all'] ?? []
    const { scripts, styles } = closureOf(manifest, [...startOf(manifest, routes), ...texts])
    for (const style of styles) allStyles.add(style)
    lines.push({ name: `scripts of ${page}`, kib: await weigh(scripts), budget: kib })
  }
  lines.push({ name: 'styles', kib: await weigh(allStyles), budget: STYLE_BUDGET })
  for (const { locale, all } of catalogues) {
    lines.push({
      name: `texts in ${locale}`,
      kib: await weigh(all.map((key) => manifest[key]?.file ?? '')),
      budget: CATALOGUE_BUDGET,
    })
  }
  return lines
}

function startOf(manifest: Manifest, routes: string[]): string[] {
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry)
  const screens = routes.map((route) => {
    const key = Object.keys(manifest).find((each) => each.includes(`${route}.tsx`))
    if (!key) throw new Error(`the build has no chunk for ${route}`)
    return key
  })
  return [...entries, ...screens]
}

function closureOf(manifest: Manifest, start: string[]): { scripts: Set<string>; styles: Set<string> } {
  const scripts = new Set<string>()
  const styles = new Set<string>()
  const seen = new Set<string>()
  const visit = (key: string) => {
    const chunk = manifest[key]
    if (!chunk || seen.has(key)) return
    seen.add(key)
    scripts.add(chunk.file)
    for (const style of chunk.css ?? []) styles.add(style)
    chunk.imports?.forEach(visit)
  }
  start.forEach(visit)
  return { scripts, styles }
}

async function weigh(files: Iterable<string>): Promise<number> {
  let bytes = 0
  for (const file of files) bytes += gzipSync(await readFile(join(DIST, file)), { level: 9 }).length
  return Math.round((bytes / 1024) * 10) / 10
}
