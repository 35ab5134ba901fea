import { readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { ROOT } from './run.ts'
import { isOfTests, PORTAL, relativeImports, SERVER, sourcesBelow } from './sources.ts'

// Not dependency-cruiser: it reads TypeScript up to version 6 only, and its other parser, swc, rejects `using`.

/** A file, or a folder with a trailing slash, and its forbidden import. */
export interface Exception {
  who: string
  uses: string
}

/** Folders that may import everything: `cli` has the commands, the demo fills an installation, `testing` and `system` are for tests. */
const ENTRY_POINTS: ReadonlySet<string> = new Set(['cli', 'demo', 'testing', 'system'])

/**
 * The modules of the server in tiers, the lowest first. A module imports its own tier and lower ones. A module that
 * is not listed is above all: only the root folder imports it.
 */
const TIERS: readonly (readonly string[])[] = [
  ['ports', 'http'],
  [
    'clients',
    'jobs',
    'activities',
    'alerts',
    'device-records',
    'payload-records',
    'held-records',
    'reasons',
    'sealed-log',
  ],
  [
    'access',
    'account',
    'alert-mails',
    'alert-webhooks',
    'client-apps',
    'groups',
    'identity-providers',
    'proposals',
    'recertifications',
    'roles',
    'sessions',
    'staff',
    'support-access',
  ],
  ['carriers', 'device-users', 'devices', 'enrolments', 'licenses'],
  ['payloads', 'receipts'],
  ['legal-holds', 'legal-matters', 'retention', 'destruction', 'data-requests', 'migrations', 'transfers'],
  ['dashboard', 'statistics', 'verify', 'backup', 'health', 'key-rotation', 'tenants'],
]

/** Files that modules of the same or a higher tier may use, with the `store.ts` of a module. */
const SERVICES = [
  'app-context.ts',
  'jobs/',
  'access/',
  'alerts/',
  'device-records/',
  'payload-records/',
  'held-records/',
  'reasons/',
  'sealed-log/',
  'proposals/propose.ts',
  'proposals/end.ts',
  'groups/tags/store.ts',
  'payloads/counts-store.ts',
]

/** Capabilities beyond the specification. Only `features.ts` imports them, so each folder can be removed. */
const REMOVABLE = [
  'alert-mails/',
  'alert-webhooks/',
  'data-requests/',
  'legal-matters/',
  'payloads/exports/',
  'payloads/marks/',
  'payloads/words/',
  'recertifications/',
]

/** Upper subfolders, which may import the other subfolders of their module. */
const UPPER_FOLDERS: ReadonlySet<string> = new Set([
  'payloads/intake',
  'payloads/detail',
  'payloads/comments',
  'payloads/exports',
  'payloads/words',
  'payloads/marks',
  'devices/commands',
  'devices/capture',
])

/**
 * Whether `from` may import `to`, paths below `apps/server/src`, by the rules of ARCHITECTURE.md. A test
 * imports what the module under test may import, and the fixtures of `testing`. Only tests import tests.
 */
export function standsOn(from: string, to: string): boolean {
  const [noun, other] = [getNoun(from), getNoun(to)]
  if (isOfTests(to)) return isOfTests(from) && (other === 'testing' || (noun === other && isWithin(from, to)))
  const isConnecting = noun === undefined || ENTRY_POINTS.has(noun)
  const part = REMOVABLE.find((folder) => to.startsWith(folder))
  if (part !== undefined && !from.startsWith(part) && !isOfTests(from))
    return from === 'features.ts' || ENTRY_POINTS.has(noun ?? '')
  if (noun === other && noun !== undefined) return isWithin(from, to)
  // Files of the root folder connect the modules through `app-context.ts`.
  if (from === 'app-context.ts' ? to === 'config.ts' : isConnecting) return true
  if (other === 'ports') return true
  if (noun === 'ports') return false
  if (other === 'http') return true
  if (noun === 'http') return false
  if (getTier(other) > getTier(noun)) return false
  return SERVICES.some((service) => isIn(to, service)) || /^[\w-]+\/store\.ts$/.test(to)
}

/** Files of the root folder are below all. */
function getTier(noun: string | undefined): number {
  const listed = TIERS.findIndex((tier) => tier.includes(noun ?? ''))
  return noun === undefined || listed >= 0 ? listed : TIERS.length
}

const getNoun = (path: string): string | undefined => (path.includes('/') ? path.split('/', 1)[0] : undefined)
const isIn = (path: string, place: string): boolean =>
  place.endsWith('/') ? path.startsWith(place) : path === place

/** A subfolder imports the files of its module; other subfolders only from an upper one. */
function isWithin(from: string, to: string): boolean {
  if (getNoun(from) === 'ports') return true
  const [folder, other] = [getSubfolder(from), getSubfolder(to)]
  if (folder === other || other === undefined) return true
  return folder === undefined || (UPPER_FOLDERS.has(folder) && !UPPER_FOLDERS.has(other))
}

const getSubfolder = (path: string): string | undefined =>
  path.split('/').length > 2 ? path.split('/', 2).join('/') : undefined

/** The layers of the portal, the lowest first; files of the root folder connect them. */
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

/** Screens that other screens may import, the lowest first: one of them imports only those before it. */
const SHARED_SCREENS = [
  'legal-holds',
  'payloads',
  'capture',
  'device-logs',
  'enrolments',
  'positions',
  'telemetry',
  'identity-providers',
  'retention',
  'proposals',
  'legal-matters',
  'data-requests',
  'activities',
]

/**
 * Whether `from` may import `to`, paths below `apps/web/src`: lower layers, and of the screens its own and shared ones.
 * A folder without a layer neither imports nor is imported.
 */
export function standsOnInPortal(from: string, to: string): boolean {
  const [layer, other] = [getNoun(from), getNoun(to)]
  if (layer === undefined) return true
  if (other === undefined) return false
  if (layer === other) return layer !== 'screens' || isScreenBelow(from, to)
  const below = PORTAL_LAYERS.indexOf(other)
  return below >= 0 && PORTAL_LAYERS.indexOf(layer) > below
}

function isScreenBelow(from: string, to: string): boolean {
  const [screen, other] = [from, to].map((path) => path.split('/')[1] ?? '')
  if (screen === other) return true
  const [position, below] = [screen, other].map((each) => SHARED_SCREENS.indexOf(each ?? ''))
  return below !== undefined && below >= 0 && (position === -1 || position! > below)
}

/** Exceptions in a document: table rows whose first two cells are code, the second with several paths. */
export function getExceptions(markdown: string): Exception[] {
  return [...markdown.matchAll(/^\| `([\w./-]+)` +\| (`[^|]+`) +\|/gm)].flatMap(([, who = '', uses = '']) =>
    [...uses.matchAll(/`([^`]+)`/g)].map(([, path = '']) => ({ who, uses: path })),
  )
}

type Imports = readonly (readonly [from: string, to: string])[]

/** Forbidden imports without an exception, and unused exceptions. */
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

/** Pairs of server modules that import each other, without tests. */
export function mutualImports(imports: Imports): string[] {
  const pairs = new Set(
    imports
      .filter(([from]) => !isOfTests(from))
      .map(([from, to]) => [getNoun(from), getNoun(to)])
      .filter(
        ([from, to]) => from !== undefined && to !== undefined && from !== to && !ENTRY_POINTS.has(from),
      )
      .map((pair) => pair.join(' ')),
  )
  return [...pairs]
    .map((pair) => pair.split(' '))
    .filter(([from = '', to = '']) => from < to && pairs.has(`${to} ${from}`))
    .map(([from, to]) => `${from} and ${to} import each other`)
}

/** Imports of each source below a folder, within it. */
async function importsBelow(folder: string): Promise<Imports> {
  return (await sourcesBelow(folder)).flatMap((from) =>
    relativeImports(from, readFileSync(join(folder, from), 'utf8'))
      .map((specifier) => [from, normalize(join(dirname(from), specifier))] as const)
      .filter(([, to]) => !to.startsWith('..')),
  )
}

if (import.meta.main) {
  const exceptions = getExceptions(readFileSync(resolve(ROOT, 'ARCHITECTURE.md'), 'utf8'))
  const inServer = await importsBelow(SERVER)
  const ofServer = [...againstLayers(inServer, exceptions), ...mutualImports(inServer)]
  const ofPortal = againstLayers(await importsBelow(PORTAL), [], standsOnInPortal)
  for (const each of [...ofServer, ...ofPortal]) console.error(each)
  if (ofServer.length > 0)
    console.error(
      'A module imports its own tier and lower ones, and of a module its store.ts: ARCHITECTURE.md',
    )
  if (ofPortal.length > 0)
    console.error(
      'Routes stand on the shell, it on screens, they on components, on ui, on api: ARCHITECTURE.md',
    )
  process.exit(ofServer.length + ofPortal.length > 0 ? 1 : 0)
}
