import { readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { relativeImports } from './circles.ts'
import { ROOT } from './run.ts'
import { isOfTests, PORTAL, SERVER, sourcesBelow } from './sources.ts'

/** Somebody who may import what the floors do not let them: a file, or with a slash at its end a folder. */
export interface Exception {
  who: string
  uses: string
}

/** Folders that know all others: `cli` has the commands of the program, the demo fills an installation, `testing` and `system` are for tests. */
const ROOFS: ReadonlySet<string> = new Set(['cli', 'demo', 'testing', 'system'])

/** What all nouns may use, besides ports and the request wrapper. */
const SERVICES = [
  'app-context.ts',
  'jobs/',
  'access/',
  'alerts/raise.ts',
  'alerts/notify-provider.ts',
  'legal-holds/reasons.ts',
  'proposals/propose.ts',
  'proposals/end.ts',
]

/** Rooms of a noun that stand on other rooms of it: on all that are not named here. Its files stand below every room. */
const UPPER_ROOMS: ReadonlySet<string> = new Set([
  'payloads/intake',
  'payloads/detail',
  'payloads/comments',
  'payloads/exports',
  'payloads/words',
  'payloads/marks',
  'devices/commands',
])

/**
 * Whether `from` may import `to`, paths below `apps/server/src`, going by the floors that ARCHITECTURE.md describes. Tests stand where
 * what they test stands, and may use the fixtures of `testing` besides; nothing else knows a test.
 */
export function standsOn(from: string, to: string): boolean {
  const [noun, other] = [nounOf(from), nounOf(to)]
  if (isOfTests(to)) return isOfTests(from) && (other === 'testing' || (noun === other && isWithin(from, to)))
  if (noun === other && noun !== undefined) return isWithin(from, to)
  // What wires the rooms together knows all of them; `server.ts` is what it hands to them.
  if (from === 'app-context.ts' ? to === 'config.ts' : noun === undefined || ROOFS.has(noun)) return true
  if (other === 'ports') return true
  if (noun === 'ports') return false
  if (other === 'http') return true
  if (noun === 'http') return false
  return SERVICES.some((service) => isIn(to, service)) || /^[\w-]+\/store\.ts$/.test(to)
}

const nounOf = (path: string): string | undefined => (path.includes('/') ? path.split('/', 1)[0] : undefined)
const isIn = (path: string, place: string): boolean =>
  place.endsWith('/') ? path.startsWith(place) : path === place

/** A room of a noun knows the noun's files; another room only from above. */
function isWithin(from: string, to: string): boolean {
  if (nounOf(from) === 'ports') return true
  const [room, other] = [roomOf(from), roomOf(to)]
  if (room === other || other === undefined) return true
  return room === undefined || (UPPER_ROOMS.has(room) && !UPPER_ROOMS.has(other))
}

const roomOf = (path: string): string | undefined =>
  path.split('/').length > 2 ? path.split('/', 2).join('/') : undefined

/** The floors of the portal, the lowest first; files beside them wire all. */
const PORTAL_LAYERS = [
  'i18n',
  'theme',
  'reload',
  'routing',
  'api',
  'ui',
  'components',
  'screens',
  'shell',
  'routes',
]

/**
 * Whether `from` may import `to`, paths below `apps/web/src`: what lies lower, and of the screens its own noun's only. A folder that has no
 * floor yet may neither use nor be used.
 */
export function standsOnInPortal(from: string, to: string): boolean {
  const [baseline, other] = [nounOf(from), nounOf(to)]
  if (baseline === undefined) return true
  if (other === undefined) return false
  if (baseline === other) return baseline !== 'screens' || roomOf(from) === roomOf(to)
  const below = PORTAL_LAYERS.indexOf(other)
  return below >= 0 && PORTAL_LAYERS.indexOf(baseline) > below
}

/** The exceptions that a document grants: rows of a table whose first two cells are code, the second one of several paths. */
export function exceptionsOf(markdown: string): Exception[] {
  return [...markdown.matchAll(/^\| `([\w./-]+)` +\| (`[^|]+`) +\|/gm)].flatMap(([, who = '', uses = '']) =>
    [...uses.matchAll(/`([^`]+)`/g)].map(([, path = '']) => ({ who, uses: path })),
  )
}

type Imports = readonly (readonly [from: string, to: string])[]

/** What goes against the floors and is no exception, and exceptions that nobody needs. */
export function againstLayers(
  imports: Imports,
  exceptions: readonly Exception[] = [],
  mayImport: (from: string, to: string) => boolean = standsOn,
): string[] {
  const unused = new Set(exceptions)
  const wrong: string[] = []
  for (const [from, to] of imports) {
    if (mayImport(from, to)) continue
    const granted = exceptions.find(({ who, uses }) => isIn(from, who) && uses === to)
    if (granted) unused.delete(granted)
    else wrong.push(`${from} imports ${to}`)
  }
  return [...wrong, ...[...unused].map(({ who, uses }) => `an exception is not needed: ${who} for ${uses}`)]
}

/** What each source below a folder imports from there. */
async function importsBelow(folder: string): Promise<Imports> {
  return (await sourcesBelow(folder)).flatMap((from) =>
    relativeImports(from, readFileSync(join(folder, from), 'utf8'))
      .map((specifier) => [from, normalize(join(dirname(from), specifier))] as const)
      .filter(([, to]) => !to.startsWith('..')),
  )
}

if (import.meta.main) {
  const exceptions = exceptionsOf(readFileSync(resolve(ROOT, 'ARCHITECTURE.md'), 'utf8'))
  const ofServer = againstLayers(await importsBelow(SERVER), exceptions)
  const ofPortal = againstLayers(await importsBelow(PORTAL), [], standsOnInPortal)
  for (const each of [...ofServer, ...ofPortal]) console.error(each)
  if (ofServer.length > 0)
    console.error('A noun reads another noun through its store.ts or the domain: ARCHITECTURE.md')
  if (ofPortal.length > 0)
    console.error(
      'Routes stand on the shell, it on screens, they on components, on ui, on api: ARCHITECTURE.md',
    )
  process.exit(ofServer.length + ofPortal.length > 0 ? 1 : 0)
}
