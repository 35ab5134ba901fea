import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { screensOfPages } from '../apps/web/build/pages.ts'
import { SOURCES } from '../apps/web/lingui.config.ts'
import { getAreas } from '../apps/web/src/i18n/areas.ts'
import { againstLayers, getExceptions, mutualImports, standsOn } from './layers.ts'
import { allSources, PORTAL, relativeImports } from './sources.ts'

test('a module imports no higher tier, and two modules never import each other', () => {
  assert.ok(standsOn('retention/expire-payloads.ts', 'payloads/store.ts'))
  assert.ok(!standsOn('payloads/detail/read.ts', 'retention/store.ts'))
  assert.ok(!standsOn('alerts/links.ts', 'payloads/store.ts'))
  assert.ok(standsOn('new-module/routes.ts', 'payloads/store.ts'))
  assert.ok(!standsOn('dashboard/routes.ts', 'new-module/store.ts'))
  assert.deepEqual(
    mutualImports([
      ['devices/fleet.ts', 'licenses/store.ts'],
      ['licenses/routes.ts', 'devices/store.ts'],
      ['roles/save.ts', 'licenses/store.ts'],
    ]),
    ['devices and licenses import each other'],
  )
})

test('only features.ts imports a capability beyond the specification, so its folder can be removed', () => {
  assert.ok(standsOn('features.ts', 'data-requests/routes.ts'))
  assert.ok(!standsOn('serve.ts', 'data-requests/routes.ts'))
  assert.ok(standsOn('payloads/marks/routes.ts', 'payloads/marks/store.ts'))
  assert.ok(!standsOn('retention/engine.ts', 'data-requests/store.ts'))
  assert.ok(!standsOn('payloads/detail/read.ts', 'payloads/marks/store.ts'))
})

test('an exception applies to one documented pair and must be needed', () => {
  const exceptions = getExceptions(`
| who | uses | why |
| --- | ---- | --- |
| \`verify/\` | \`payloads/original-key.ts\`, \`payloads/failures.ts\` | states |
| \`roles/save.ts\`   | \`groups/save.ts\` | \`not/this.ts\` |`)
  assert.deepEqual(exceptions, [
    { who: 'verify/', uses: 'payloads/original-key.ts' },
    { who: 'verify/', uses: 'payloads/failures.ts' },
    { who: 'roles/save.ts', uses: 'groups/save.ts' },
  ])
  assert.deepEqual(
    againstLayers(
      [
        ['verify/rows.ts', 'payloads/original-key.ts'],
        ['verify/deep.ts', 'payloads/failures.ts'],
        ['verify/deep.ts', 'groups/save.ts'],
        ['tenants/create.ts', 'groups/save.ts'],
      ],
      exceptions,
    ),
    [
      'verify/deep.ts imports groups/save.ts',
      'tenants/create.ts imports groups/save.ts',
      'an exception is not needed: roles/save.ts for groups/save.ts',
    ],
  )
})

/** All transitive imports of a source, itself included; paths as in the catalogues. */
function neededBy(source: string, sources: ReadonlySet<string>): string[] {
  const needed = new Set<string>()
  const visit = (path: string): void => {
    if (needed.has(path)) return
    needed.add(path)
    for (const specifier of relativeImports(path, readFileSync(path, 'utf8'))) {
      const next = resolve(dirname(path), specifier)
      if (sources.has(next)) visit(next)
    }
  }
  visit(source)
  return [...needed].map((path) => relative(resolve(PORTAL, '..'), path))
}

test('pages without administration texts import no administration sources', async () => {
  const sources = await allSources()
  let seen = 0
  for (const [path, screen] of screensOfPages()) {
    if (screen === undefined || getAreas(path).includes('administration')) continue
    seen++
    const theirs = neededBy(resolve(PORTAL, '..', screen), sources).filter((each) =>
      SOURCES.administration.some((folder) => each.startsWith(`${folder}/`)),
    )
    assert.deepEqual(theirs, [], path)
  }
  assert.ok(seen > 10)
})
