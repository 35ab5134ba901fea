import { glob } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { ROOT } from './run.ts'

/** Paths of all sources of the project, absolute. */
export async function allSources(): Promise<Set<string>> {
  const sources = new Set<string>()
  for await (const path of glob('{packages,apps,bench,scripts,e2e}/**/*.{ts,tsx}', {
    cwd: ROOT,
    exclude: (name) => /node_modules|dist|routeTree\.gen/.test(name),
  }))
    sources.add(resolve(ROOT, path))
  return sources
}

const SERVER = resolve(ROOT, 'apps/server/src')

/** Paths of the server's sources below `apps/server/src`, without tests and what only they use. */
export async function serverSources(): Promise<string[]> {
  return [...(await allSources())]
    .filter((path) => path.startsWith(`${SERVER}/`))
    .map((path) => relative(SERVER, path))
    .filter(
      (path) => !/\.(test|test-support|conformance)\.ts$|^testing\/|\.d\.ts$|\/fixtures\.ts$/.test(path),
    )
    .toSorted()
}

/** Absolute path of a source of the server. */
export const serverPath = (path: string): string => resolve(SERVER, path)
