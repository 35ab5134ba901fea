import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'
import { ROOT } from './run.ts'
import { allSources } from './sources.ts'

/** Imports of each module within its package: static, type-only, or `import()`. */
type Imports = ReadonlyMap<string, ReadonlySet<string>>

/** Import cycles, each as the paths that form it. Includes cycles through `import()`, which the linter does not see. */
export function circlesOf(imports: Imports): string[][] {
  const circles: string[][] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  // Tarjan's strongly connected components: one walk visits every module once.
  const visit = (module: string): void => {
    order.set(module, order.size)
    lowest.set(module, order.get(module)!)
    open.push(module)
    for (const next of imports.get(module) ?? []) {
      if (!order.has(next)) visit(next)
      if (open.includes(next)) lowest.set(module, Math.min(lowest.get(module)!, lowest.get(next)!))
    }
    if (lowest.get(module) !== order.get(module)) return
    const circle = open.splice(open.indexOf(module))
    if (circle.length > 1) circles.push(circle.toSorted())
  }
  for (const module of imports.keys()) if (!order.has(module)) visit(module)
  return circles
}

/** Relative imports of a source text, `import()` and types included. Throws on a syntax error. */
export function relativeImports(path: string, text: string): string[] {
  const { module, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const specifiers = [
    ...module.staticImports.map((each) => each.moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap((entry) => entry.moduleRequest?.value ?? []),
    ),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ]
  return specifiers.filter((specifier) => specifier.startsWith('.'))
}

/** Imports of all sources of the project. */
async function readImports(): Promise<Imports> {
  const sources = await allSources()
  return new Map(
    [...sources].map((path) => {
      const targets = relativeImports(path, readFileSync(path, 'utf8')).map((specifier) =>
        resolve(dirname(path), specifier),
      )
      return [path, new Set(targets.filter((target) => sources.has(target)))]
    }),
  )
}

if (import.meta.main) {
  const circles = circlesOf(await readImports())
  for (const circle of circles)
    console.error(`A circle of imports:\n${circle.map((path) => `  ${relative(ROOT, path)}`).join('\n')}`)
  process.exit(circles.length > 0 ? 1 : 0)
}
