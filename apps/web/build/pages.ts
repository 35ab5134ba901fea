import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Rolldown } from 'vite'
import { getAreas, getFolder } from '../src/i18n/areas.ts'

export interface Script {
  file: string
  imports: readonly string[]
  modules: readonly string[]
  /** The same as paths below `apps/web`, its entry first. */
  sources: readonly string[]
  isEntry: boolean
  isDynamicEntry: boolean
  /** Bytes before minification. */
  size: number
}

/** A page: `/dashboard/services/calls/$payload_reference`, or `/dashboard/devices?tab=map`. */
export interface Page {
  path: string
  /** Sources of its first paint. */
  needs: readonly string[]
  /** Sources that draw its data. */
  later: readonly string[]
}

/** Files that a page loads at once. The server names them in the page's HTML. */
export interface PagePreload {
  path: string
  scripts: string[]
  texts: Record<string, string[]>
}

const LOCALES = ['en-GB', 'pt-BR']
/** What all pages behind the sign-in load. */
export const INSIDE = 'src/shell/inside.ts'
/** The first call of a page behind the sign-in. */
const SESSION = 'src/api/refresh-tokens.ts'
/** Sources that pages at and below a path load as well. */
const BELOW = {
  '/dashboard': [INSIDE, SESSION],
  '/internal': [INSIDE, SESSION, 'src/shell/internal-layout.tsx'],
}
const RECORDINGS = '/dashboard/services'
const DEVICE = '/dashboard/devices/$device_reference'
const USER = '/dashboard/devices/users/$device_user_reference'
const TILES = ['src/components/lists/tile-grid.tsx', 'src/screens/payloads/payload-tile.tsx']
/** Sources that a page loads once it is drawn, or knows its record. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  '/sign-in': ['src/api/home-api.ts'],
  '/dashboard': ['src/screens/dashboard/work.tsx'],
  '/dashboard/devices': ['src/screens/devices/devices-list.tsx'],
  [DEVICE]: ['src/screens/devices/device-overview.tsx', 'src/screens/devices/device-buttons.tsx'],
  [USER]: ['src/screens/device-users/user-overview.tsx', 'src/screens/device-users/user-buttons.tsx'],
  [`${RECORDINGS}/photos`]: TILES,
  [`${RECORDINGS}/videos`]: TILES,
  [`${RECORDINGS}/videos/$payload_reference`]: ['src/screens/payloads/player/film.tsx'],
}
const TRACK = 'src/screens/positions/track-view.tsx'
const LIST = 'src/components/lists/list-page.tsx'
const RECORDINGS_TAB = [LIST, 'src/screens/payloads/payloads-of.ts']
const LOGS_TAB = [LIST, 'src/screens/device-logs/log-lists.tsx']
/** Sources of tabs that have a preload list of their own. */
const TABS: Readonly<Record<string, readonly string[]>> = {
  '/dashboard/devices?tab=map': ['src/screens/devices/last-positions.tsx'],
  [`${DEVICE}?tab=recordings`]: RECORDINGS_TAB,
  [`${DEVICE}?tab=threads`]: [LIST, 'src/screens/devices/device-threads.tsx'],
  [`${DEVICE}?tab=commands`]: ['src/screens/devices/command-pages.tsx'],
  [`${DEVICE}?tab=logs`]: LOGS_TAB,
  [`${DEVICE}?tab=telemetry`]: ['src/screens/telemetry/device-telemetry.tsx'],
  [`${DEVICE}?tab=reports`]: [LIST, 'src/screens/telemetry/telemetry-lists.tsx'],
  [`${USER}?tab=recordings`]: RECORDINGS_TAB,
  [`${USER}?tab=capture`]: ['src/screens/capture/capture-pages.tsx'],
  [`${USER}?tab=logs`]: LOGS_TAB,
  [`${USER}?tab=gps`]: ['src/screens/device-users/user-buttons.tsx', TRACK],
}

/** Describes the scripts of a bundle. */
export function getScripts(
  bundle: Rolldown.OutputBundle | Rolldown.RolldownOutput['output'],
  root: string,
): Script[] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
  return chunks.map((chunk) => {
    const modules = [...new Set([chunk.facadeModuleId ?? [], chunk.moduleIds].flat())]
    return {
      file: chunk.fileName,
      imports: chunk.imports,
      modules,
      sources: modules.map((id) => id.replace(`${root}/`, '')),
      isEntry: chunk.isEntry,
      isDynamicEntry: chunk.isDynamicEntry,
      size: Object.values(chunk.modules).reduce((sum, { renderedLength }) => sum + renderedLength, 0),
    }
  })
}

/** Reads the routes: path of each page, and the source of its screen unless that loads after the page. */
export function screensOfPages(): Map<string, string | undefined> {
  const folder = join(import.meta.dirname, '../src/routes')
  const texts = readdirSync(folder)
    .filter((file) => file !== 'layouts.tsx')
    .map((file) => readFileSync(join(folder, file), 'utf8'))
  return new Map(texts.flatMap(pagesIn))
}

function pagesIn(text: string): [path: string, screen: string | undefined][] {
  const [before, ...routes] = text.split('createRoute({')
  return routes.flatMap((route, i) => {
    const [, parent = 'dashboard', path = ''] =
      /(?:getParentRoute: \(\) => (\w+),\s+path: |\.\.\.page\()['`](.+?)['`]/.exec(route) ?? []
    const [, screen] =
      /component: \w+\(\s*\(\) => (?:withTexts\('\w+', )?import\('\.\.\/(.+?)'\)/.exec(route) ?? []
    // A function makes the same route for several services.
    const [, maker] = /const (\w+) = [^{}]*$/.exec((i === 0 ? before : routes[i - 1]) ?? '') ?? []
    const calls = path.includes('${') ? [...text.matchAll(RegExp(`\\b${maker}\\('(\\w+)'\\)`, 'g'))] : [[]]
    return calls.map(([, service = '']) => {
      const full = `/${parent === 'root' ? '' : parent}/${path.replace(/\$\{\w+\}/, service)}`
      return [full.replaceAll(/\/+(?=\/|$)/g, '') || '/', screen && `src/${screen}`]
    })
  })
}

/** Pages of the portal by their routes, and tabs. */
export function getPages(): Page[] {
  const pages = [...screensOfPages()].map(([path, screen]) => ({
    path,
    needs: [
      ...Object.entries(BELOW).flatMap(([root, needs]) => (`${path}/`.startsWith(`${root}/`) ? needs : [])),
      ...(screen === undefined ? [] : [screen]),
    ],
    later: LATER[path] ?? [],
  }))
  const tabs = Object.entries(TABS).map(([path, sources]) => {
    const page = pages.find((each) => each.path === withoutTab(path))
    if (!page) throw new Error(`no page has the tab ${path}`)
    return { path, needs: [...page.needs, ...sources], later: [] }
  })
  return [...pages, ...tabs]
}

const withoutTab = (path: string): string => path.replace(/\?.*/, '')

/** Scripts with the given sources, and all that these import. Throws when the build lacks one. */
export function scriptsWith(scripts: readonly Script[], sources: readonly string[]): Set<Script> {
  const found = new Set<Script>()
  const visit = (script: Script): void => {
    if (found.has(script)) return
    found.add(script)
    for (const each of scripts) if (script.imports.includes(each.file)) visit(each)
  }
  for (const source of sources) {
    const script = scripts.find((each) => each.sources.includes(source))
    if (!script) throw new Error(`the build has no ${source}`)
    visit(script)
  }
  return found
}

/** Scripts that the HTML of every page names. */
export function getEntry(scripts: readonly Script[]): Set<Script> {
  const entry = scripts.find(({ isEntry }) => isEntry)
  return scriptsWith(scripts, entry?.sources.slice(0, 1) ?? [])
}

/** Throws when scripts import each other in a circle: such a page fails at run time without a clear error. */
export function assertNoCircles(scripts: readonly Script[]): void {
  const open = new Map(scripts.map(({ file, imports }) => [file, imports]))
  for (let before = 0; before !== open.size;) {
    before = open.size
    for (const [file, imports] of open) if (!imports.some((each) => open.has(each))) open.delete(file)
  }
  if (open.size > 0) throw new Error(`files of the build need each other: ${[...open.keys()].join(', ')}`)
}

/** Files of each page that its HTML does not name. */
export function preloadTable(scripts: readonly Script[]): PagePreload[] {
  const inHtml = getEntry(scripts)
  const beyond = (sources: readonly string[]) =>
    [...scriptsWith(scripts, sources)].filter((script) => !inHtml.has(script)).map(({ file }) => file)
  return getPages().map(({ path, needs, later }) => ({
    path,
    scripts: beyond([...needs, ...later]),
    texts: Object.fromEntries(LOCALES.map((locale) => [locale, beyond(getTexts(path, locale))])),
  }))
}

const getTexts = (path: string, locale: string): string[] =>
  getAreas(withoutTab(path)).map((area) => `src/i18n/locales/${getFolder(area)}${locale}.po`)
