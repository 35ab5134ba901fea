import { build, type Plugin, type PluginOption, type Rolldown } from 'vite'
import { getEntry, INSIDE, getPages, type Script, getScripts, scriptsWith } from './pages.ts'

/** Bytes of source that cost a page as much time as a request. */
const REQUEST_BYTES = 30_000
/** Most dialogs and previews open from a list. */
const LIST_CONTROLS = 'src/components/lists/list-controls.tsx'
/** How often users open a page, or a part of it that loads later, compared with any other page, dialog or preview. */
const VISITS: Readonly<Record<string, number>> = {
  '/sign-in': 80,
  '/dashboard': 120,
  '/dashboard/services/calls': 80,
  '/dashboard/services/calls/$payload_reference': 560,
  '/dashboard/access/groups': 40,
  '/dashboard/account/alerts': 80,
  '/dashboard/account/audit': 190,
  '/dashboard/devices': 60,
  '/dashboard/devices?tab=map': 140,
  '/dashboard/devices/$device_reference': 60,
  '/dashboard/devices/$device_reference/gps': 40,
  '/dashboard/devices/users': 40,
  '/dashboard/devices/users/$device_user_reference': 75,
  [LIST_CONTROLS]: 300,
  'src/screens/payloads/facts-retention.tsx': 160,
  'src/screens/payloads/player/waveform.tsx': 40,
  'src/screens/payloads/comments/comment-lane.tsx': 200,
}

/** Pages that open first stay small: how much more bytes in vain count there. */
const SMALL: Readonly<Record<string, number>> = {
  '/sign-in': 10,
  '/dashboard': 6,
  '/dashboard/devices/$device_reference/gps': 2,
  '/dashboard/devices/users/$device_user_reference': 4,
}

/** Modules that load together. */
interface Part {
  scripts: readonly Script[]
  size: number
  visits: ReadonlySet<Visit>
  imports: ReadonlySet<Part>
}
/** A page, or a part of the portal that opens later, and how often users open it. */
interface Visit {
  scripts: ReadonlySet<Script>
  weight: number
  /** Weight of what it loads in vain. */
  loss: number
}

/**
 * Groups modules so that a page loads a few files, not a hundred. A first build shows which modules each page needs.
 * Then files merge as long as the saved requests outweigh the bytes that other pages load in vain.
 */
export function groupModules(options: {
  root: string
  plugins: PluginOption[]
  treeshake: Rolldown.InputOptions['treeshake']
}): Plugin {
  return {
    name: 'custodia:group-modules',
    apply: 'build',
    config: async () => {
      const groups = getGroups(await splitByPage(options))
      const group: Rolldown.CodeSplittingGroup = {
        name: (id) => groups.get(id) ?? (/\/@lingui\//.test(id) ? 'core' : null),
        debugName: 'pages',
      }
      return { build: { rolldownOptions: { output: { codeSplitting: { groups: [group] } } } } }
    },
  }
}

/** Builds the portal in memory with one file for each set of pages. Texts and assets are no modules. */
async function splitByPage({ root, plugins, treeshake }: Parameters<typeof groupModules>[0]) {
  const external = [/\.po$/, /\?url$/, /^@lingui\/\w+\/macro$/]
  const built = await build({
    root,
    plugins,
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, rolldownOptions: { treeshake, external } },
  })
  const [bundle] = [built].flat()
  if (bundle === undefined || !('output' in bundle)) throw new Error('the build has no output')
  return getScripts(bundle.output, root)
}

/** Chunk name of each module that shares its file. */
function getGroups(scripts: readonly Script[]): Map<string, string> {
  const core = getEntry(scripts)
  const parts = merge(
    getParts(
      scripts.filter((script) => !core.has(script)),
      getVisits(scripts),
    ),
  )
  const shared = parts.filter((part) => part.scripts.length > 1)
  const named = [
    ['core', [...core]] as const,
    ...shared.map((part, i) => [`part-${i}`, part.scripts] as const),
  ]
  return new Map(
    named.flatMap(([name, of]) => of.flatMap(({ modules }) => modules.map((id) => [id, name] as const))),
  )
}

function getVisits(scripts: readonly Script[]): Visit[] {
  const pages = getPages().map(({ path, needs }) => ({
    scripts: scriptsWith(scripts, needs),
    weight: VISITS[path] ?? 1,
    loss: (VISITS[path] ?? 1) * (SMALL[path] ?? 1),
  }))
  const parts = scripts
    .filter(({ isDynamicEntry }) => isDynamicEntry)
    .flatMap(({ sources }) => sources.slice(0, 1))
  const whole = getPages()
    .filter(({ later }) => later.length > 0)
    .map(({ path, needs, later }) => ({
      scripts: scriptsWith(scripts, [...needs, ...later]),
      weight: VISITS[path] ?? 1,
      loss: VISITS[path] ?? 1,
    }))
  const others = [
    ...new Set([...parts, ...Object.keys(VISITS).filter((name) => name.startsWith('src/'))]),
  ].map((part) => ({
    scripts: scriptsWith(scripts, [...openBefore(part), part]),
    weight: VISITS[part] ?? 1,
    loss: VISITS[part] ?? 1,
  }))
  return [...pages, ...whole, ...others]
}

/** What a part that loads later finds open. Calls also load on public pages. */
function openBefore(part: string): string[] {
  if (part.startsWith('src/api/')) return []
  return VISITS[part] === undefined ? [INSIDE, LIST_CONTROLS] : [INSIDE]
}

function getParts(scripts: readonly Script[], visits: readonly Visit[]): Part[] {
  const parts = new Map(
    scripts.map((script) => [
      script.file,
      {
        scripts: [script],
        size: script.size,
        visits: new Set(visits.filter((visit) => visit.scripts.has(script))),
        imports: new Set<Part>(),
      },
    ]),
  )
  for (const part of parts.values())
    for (const file of part.scripts.flatMap(({ imports }) => imports)) {
      const imported = parts.get(file)
      if (imported) part.imports.add(imported)
    }
  return [...parts.values()]
}

/** Merges the pair that saves most until none saves anything. Files that import each other in a circle stay apart. */
function merge(apart: readonly Part[]): Part[] {
  let parts = [...apart]
  let pairs = parts.flatMap((a, i) => parts.slice(i + 1).flatMap((b) => getPair(a, b)))
  while (pairs.length > 0) {
    const best = pairs.reduce((one, other) => (other.saved > one.saved ? other : one))
    const { a, b } = best
    const saved = isBetween(a, b) || isBetween(b, a) ? 0 : bytesSaved(a, b)
    if (saved < best.saved) {
      best.saved = saved
      if (saved <= 0) pairs = pairs.filter((pair) => pair !== best)
      continue
    }
    const both = new Set([a, b])
    const merged: Part = {
      scripts: [...a.scripts, ...b.scripts],
      size: a.size + b.size,
      visits: new Set([...a.visits, ...b.visits]),
      imports: new Set([...a.imports, ...b.imports].filter((part) => !both.has(part))),
    }
    parts = parts.filter((part) => !both.has(part))
    for (const part of parts)
      part.imports = new Set([...part.imports].map((each) => (both.has(each) ? merged : each)))
    for (const part of loadedWith(merged)) part.visits = new Set([...part.visits, ...merged.visits])
    pairs = pairs.filter((pair) => !both.has(pair.a) && !both.has(pair.b))
    pairs.push(...parts.flatMap((part) => getPair(merged, part)))
    parts.push(merged)
  }
  return parts
}

/** Two parts, and the bytes that visits save at most when they are one file; nothing when they lose. */
function getPair(a: Part, b: Part): { a: Part; b: Part; saved: number }[] {
  const saved = REQUEST_BYTES * weightOfBoth(a, b) - weightBeyond(a, b) * b.size - weightBeyond(b, a) * a.size
  return saved > 0 ? [{ a, b, saved }] : []
}

/** The bytes that visits save when two parts are one file: what a part imports comes along. */
function bytesSaved(a: Part, b: Part): number {
  const lost = (visited: Part, part: Part) =>
    [...loadedWith(part)].reduce((sum, each) => {
      const size = each === part ? part.size : each.size + REQUEST_BYTES
      return sum + weightBeyond(visited, each) * size
    }, 0)
  return REQUEST_BYTES * weightOfBoth(a, b) - lost(a, b) - lost(b, a)
}

/** Weight of the visits that load both parts. */
const weightOfBoth = (a: Part, b: Part): number =>
  weigh(a, (visit) => (b.visits.has(visit) ? visit.weight : 0))
/** Weight of the visits that load the first part only. */
const weightBeyond = (a: Part, b: Part): number => weigh(a, (visit) => (b.visits.has(visit) ? 0 : visit.loss))

function weigh({ visits }: Part, getWeight: (visit: Visit) => number): number {
  let weight = 0
  for (const visit of visits) weight += getWeight(visit)
  return weight
}

/** A part and all that it imports. */
function loadedWith(part: Part, found = new Set<Part>()): Set<Part> {
  if (found.has(part)) return found
  found.add(part)
  for (const imported of part.imports) loadedWith(imported, found)
  return found
}

/** Whether one part imports another through a third. */
const isBetween = (from: Part, to: Part): boolean =>
  [...from.imports].some((part) => part !== to && loadedWith(part).has(to))
