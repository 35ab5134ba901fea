import { areasOf, folderOf } from '../src/i18n/areas.ts'

/** A chunk of the build in Vite's manifest. */
export interface Chunk {
  file: string
  /** Name of the module group, if the chunk is one. */
  name?: string
  src?: string
  imports?: string[]
  isEntry?: boolean
}
export type Manifest = Readonly<Record<string, Chunk>>

/** Files that a page needs before its first paint. The server names them in `Link` headers. */
export interface PagePreload {
  /** Route path: `/dashboard/services/calls/$payload_reference`. */
  path: string
  scripts: string[]
  texts: Record<string, string[]>
}

const LOCALES = ['en-GB', 'pt-BR']

/** Extra files for pages at and below a path: sources, or module groups (chunks.ts). */
const ALSO: readonly { path: string; needs: string[]; isAlone?: true }[] = [
  { path: '/sign-in', needs: ['home-api'] },
  { path: '/dashboard', needs: ['inside'] },
  { path: '/internal', needs: ['inside', 'src/shell/internal-layout.tsx'] },
  { path: '/dashboard', needs: ['src/screens/dashboard/work.tsx'], isAlone: true },
  { path: '/dashboard/services/calls', needs: ['lists'], isAlone: true },
  { path: '/dashboard/services/calls/$payload_reference', needs: ['details'], isAlone: true },
  { path: '/dashboard/services/messages', needs: ['src/screens/messages/messages-list.tsx'], isAlone: true },
  {
    path: '/dashboard/services/interviews',
    needs: ['src/screens/interviews/interviews-list.tsx'],
    isAlone: true,
  },
  { path: '/dashboard/services/interviews/$payload_reference', needs: ['details'], isAlone: true },
  { path: '/dashboard/services/photos', needs: ['src/screens/photos/photos-list.tsx'], isAlone: true },
  { path: '/dashboard/services/photos/$payload_reference', needs: ['details'], isAlone: true },
  {
    path: '/dashboard/services/diagnostics',
    needs: ['src/screens/diagnostics/diagnostics-list.tsx'],
    isAlone: true,
  },
  { path: '/dashboard/services/videos', needs: ['src/screens/videos/videos-list.tsx'], isAlone: true },
  {
    path: '/dashboard/services/videos/$payload_reference',
    needs: ['details', 'src/screens/payloads/player/film.tsx'],
    isAlone: true,
  },
]

/** Files of each page that its HTML does not name. */
export function preloadTable(manifest: Manifest): PagePreload[] {
  const inHtml = new Set(filesOf(manifest, entriesOf(manifest)))
  const beyond = (needs: readonly string[]) => filesOf(manifest, needs).filter((file) => !inHtml.has(file))
  return pagesOf(manifest).map(({ path, needs }) => ({
    path,
    scripts: beyond(needs),
    texts: Object.fromEntries(
      LOCALES.map((locale) => [
        locale,
        beyond(areasOf(path).map((area) => `src/i18n/locales/${folderOf(area)}${locale}.po`)),
      ]),
    ),
  }))
}

export function pagesOf(manifest: Manifest): { path: string; needs: string[] }[] {
  const own = Object.keys(manifest).flatMap((key) => {
    const [, file] = /^src\/routes\/(.+)\.tsx(?:\?|$)/.exec(key) ?? []
    return file === undefined ? [] : [{ path: `/${file.replace(/(?:^|\/)index$/, '')}`, key }]
  })
  const paths = new Set([...own, ...ALSO.filter(({ isAlone }) => isAlone)].map(({ path }) => path))
  return [...paths].map((path) => {
    const also = ALSO.filter((each) =>
      each.isAlone ? path === each.path : `${path}/`.startsWith(`${each.path}/`),
    )
    const keys = own.filter((each) => each.path === path).map(({ key }) => key)
    return { path, needs: [...keys, ...also.flatMap(({ needs }) => needs)] }
  })
}

export const entriesOf = (manifest: Manifest): string[] =>
  Object.keys(manifest).filter((key) => manifest[key]?.isEntry)

/** Files of the given sources or module groups. Throws when the build lacks one. */
export function filesOf(manifest: Manifest, needs: readonly string[]): string[] {
  const files = new Set<string>()
  const visit = (key: string): void => {
    const chunk = manifest[key] ?? Object.values(manifest).find(({ name, src }) => name === key && !src)
    if (!chunk) throw new Error(`the build has no file for ${key}`)
    if (files.has(chunk.file)) return
    files.add(chunk.file)
    chunk.imports?.forEach(visit)
  }
  needs.forEach(visit)
  return [...files]
}

/** Throws when module groups import each other in a cycle: such a page fails at run time without a clear error. */
export function assertNoCircles(manifest: Manifest): void {
  const open = new Map(Object.entries(manifest).map(([key, { imports = [] }]) => [key, imports]))
  for (let before = 0; before !== open.size;) {
    before = open.size
    for (const [key, imports] of open) if (!imports.some((each) => open.has(each))) open.delete(key)
  }
  if (open.size > 0) throw new Error(`files of the build need each other: ${[...open.keys()].join(', ')}`)
}
