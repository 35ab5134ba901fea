import { glob } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'
import { ROOT } from './run.ts'

/** Paths of all sources of the project, absolute. */
export async function allSources(): Promise<Set<string>> {
  const sources = new Set<string>()
  for await (const path of glob('{packages,apps,tools,scripts,e2e}/**/*.{ts,tsx}', {
    cwd: ROOT,
    exclude: (name) => /node_modules|dist|routeTree\.gen/.test(name),
  }))
    sources.add(resolve(ROOT, path))
  return sources
}

export const SERVER = resolve(ROOT, 'apps/server/src')
export const PORTAL = resolve(ROOT, 'apps/web/src')

/** Relative paths of the sources below a folder, without type declarations. */
export async function sourcesBelow(folder: string): Promise<string[]> {
  return [...(await allSources())]
    .filter((path) => path.startsWith(`${folder}/`) && !path.endsWith('.d.ts'))
    .map((path) => relative(folder, path))
    .toSorted()
}

/** Whether a file below `apps/server/src` is a test or test support. */
export const isOfTests = (path: string): boolean =>
  /\.(test|test-support|conformance)\.ts$|^(testing|system)\//.test(path)

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
