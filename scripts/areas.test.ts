import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { areasOf, SOURCES } from '../apps/web/src/i18n/areas.ts'
import { relativeImports } from './circles.ts'
import { allSources, PORTAL } from './sources.ts'

/** All transitive imports of a source, itself included; paths as in the catalogues. */
async function neededBy(source: string, sources: ReadonlySet<string>): Promise<string[]> {
  const needed = new Set<string>()
  const visit = async (path: string): Promise<void> => {
    if (needed.has(path)) return
    needed.add(path)
    for (const specifier of relativeImports(path, await readFile(path, 'utf8'))) {
      const next = resolve(dirname(path), specifier)
      if (sources.has(next)) await visit(next)
    }
  }
  await visit(source)
  return [...needed].map((path) => relative(resolve(PORTAL, '..'), path))
}

test('pages without administration texts import no administration sources', async () => {
  const sources = await allSources()
  const routes = [...sources].filter((path) => path.startsWith(resolve(PORTAL, 'routes/')))
  let seen = 0
  for (const route of routes) {
    const path = `/${relative(resolve(PORTAL, 'routes'), route).replace(/\.tsx$/, '')}`
    if (areasOf(path).includes('administration')) continue
    seen++
    const theirs = (await neededBy(route, sources)).filter((each) =>
      SOURCES.administration.some((folder) => each.startsWith(`${folder}/`)),
    )
    assert.deepEqual(theirs, [], path)
  }
  assert.ok(seen > 10)
})
