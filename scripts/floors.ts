import { readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { relativeImports } from './circles.ts'
import { ROOT } from './run.ts'
import { serverPath, serverSources } from './sources.ts'

/** Somebody who may import what the floors do not let them: a file, or with a slash at its end a folder. */
export interface Exception {
  who: string
  uses: string
}

/** What all nouns may use, besides ports and the request wrapper. */
const SERVICES = ['house.ts', 'jobs/', 'access/', 'alerts/raise.ts', 'alerts/tell-provider.ts']

/** Rooms of a noun that stand on other rooms of it: on all that are not named here. Its files stand below every room. */
const UPPER_ROOMS: ReadonlySet<string> = new Set(['payloads/intake', 'payloads/detail'])

/** Whether `from` may import `to`, paths below `apps/server/src`, going by the floors that ARCHITECTURE.md describes. */
export function standsOn(from: string, to: string): boolean {
  const [noun, other] = [nounOf(from), nounOf(to)]
  if (noun === other && noun !== undefined) return isWithin(from, to)
  // What wires the rooms together knows all of them; `house.ts` is what it hands to them.
  if (from === 'house.ts' ? to === 'config.ts' : noun === undefined || noun === 'demo') return true
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

/** The exceptions that a document grants: rows of a table whose first two cells are code, the second one of several paths. */
export function exceptionsOf(markdown: string): Exception[] {
  return [...markdown.matchAll(/^\| `([\w./-]+)` +\| (`[^|]+`) +\|/gm)].flatMap(([, who = '', uses = '']) =>
    [...uses.matchAll(/`([^`]+)`/g)].map(([, path = '']) => ({ who, uses: path })),
  )
}

/** What goes against the floors and is no exception, and exceptions that nobody needs. */
export function againstFloors(
  imports: Iterable<readonly [from: string, to: string]>,
  exceptions: readonly Exception[],
): string[] {
  const unused = new Set(exceptions)
  const wrong: string[] = []
  for (const [from, to] of imports) {
    if (standsOn(from, to)) continue
    const granted = exceptions.find(({ who, uses }) => isIn(from, who) && uses === to)
    if (granted) unused.delete(granted)
    else wrong.push(`${from} imports ${to}`)
  }
  return [...wrong, ...[...unused].map(({ who, uses }) => `an exception is not needed: ${who} for ${uses}`)]
}

if (import.meta.main) {
  const paths = await serverSources()
  const imports = paths.flatMap((from) =>
    relativeImports(from, readFileSync(serverPath(from), 'utf8')).map((specifier): [string, string] => [
      from,
      normalize(join(dirname(from), specifier)),
    ]),
  )
  const exceptions = exceptionsOf(readFileSync(resolve(ROOT, 'ARCHITECTURE.md'), 'utf8'))
  const wrong = againstFloors(
    imports.filter(([, to]) => !to.startsWith('..')),
    exceptions,
  )
  for (const each of wrong) console.error(each)
  if (wrong.length > 0)
    console.error('A noun reads another noun through its store.ts or the domain: ARCHITECTURE.md')
  process.exit(wrong.length > 0 ? 1 : 0)
}
