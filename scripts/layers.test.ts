import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { screensOfPages } from '../apps/web/build/pages.ts'
import { areasOf, SOURCES } from '../apps/web/src/i18n/areas.ts'
import { againstLayers, exceptionsOf, mutualImports, standsOn, standsOnInPortal } from './layers.ts'
import { ROOT } from './run.ts'
import { allSources, PORTAL, relativeImports } from './sources.ts'

test('a module may use services and the store of another module, and nothing else of it', () => {
  for (const to of [
    'app-context.ts',
    'ports/keys/port.ts',
    'http/context.ts',
    'jobs/kind.ts',
    'access/load.ts',
    'alerts/raise.ts',
    'groups/store.ts',
    'roles/draft.ts',
  ])
    assert.ok(standsOn('roles/save.ts', to), to)
  for (const to of [
    'groups/save.ts',
    'groups/key-store.ts',
    'devices/store.ts',
    'serve.ts',
    'config.ts',
    'demo/seed.ts',
  ])
    assert.ok(!standsOn('roles/save.ts', to), to)
})

test('ports and the request wrapper import no upper layers; entry points import everything', () => {
  assert.ok(standsOn('ports/objects/s3.ts', 'ports/disk-space.ts'))
  assert.ok(!standsOn('ports/objects/s3.ts', 'http/problem.ts'))
  assert.ok(standsOn('http/audit.ts', 'ports/database/lease.ts'))
  assert.ok(!standsOn('http/audit.ts', 'app-context.ts'))
  assert.ok(!standsOn('http/audit.ts', 'groups/store.ts'))
  assert.ok(standsOn('serve.ts', 'groups/save.ts'))
  assert.ok(standsOn('demo/seed.ts', 'tenants/provision.ts'))
  assert.ok(standsOn('app-context.ts', 'config.ts'))
  assert.ok(!standsOn('app-context.ts', 'groups/save.ts'))
})

test('a submodule may use the files of its module and of lower submodules', () => {
  assert.ok(standsOn('payloads/data/data.ts', 'payload-records/codes.ts'))
  assert.ok(standsOn('payloads/store.ts', 'payloads/lists/store/total.ts'))
  assert.ok(standsOn('payloads/intake/arrive.ts', 'payloads/processing/process-job.ts'))
  assert.ok(!standsOn('payloads/processing/process.ts', 'payloads/intake/arrive.ts'))
  assert.ok(!standsOn('payloads/intake/arrive.ts', 'payloads/detail/read.ts'))
  assert.ok(!standsOn('payloads/lists/list.ts', 'payloads/data/data.ts'))
})

test('tests may import their own module and the fixtures, and no other code imports tests', () => {
  for (const to of ['testing/server.ts', 'roles/save.ts', 'roles/roles.test-support.ts', 'groups/store.ts'])
    assert.ok(standsOn('roles/roles.test.ts', to), to)
  for (const to of [
    'groups/save.ts',
    'groups/groups.test-support.ts',
    'system/matrix/run.test-support.ts',
    'config.ts',
  ])
    assert.ok(!standsOn('roles/roles.test.ts', to), to)
  assert.ok(standsOn('ports/objects/s3.test.ts', 'testing/radosgw.ts'))
  assert.ok(!standsOn('ports/objects/s3.test.ts', 'http/problem.ts'))
  assert.ok(standsOn('system/journey.test.ts', 'groups/save.ts'))
  assert.ok(standsOn('testing/server.ts', 'serve.ts'))
  assert.ok(!standsOn('testing/server.ts', 'system/matrix/run.test-support.ts'))
  for (const from of ['roles/save.ts', 'serve.ts', 'demo/seed.ts', 'ports/objects/s3.ts'])
    for (const to of ['testing/until.ts', 'roles/roles.test-support.ts', 'ports/objects/port.conformance.ts'])
      assert.ok(!standsOn(from, to), `${from} ${to}`)
})

test('portal code follows its layers, and screens import only shared screens', () => {
  for (const [from, to] of [
    ['main.tsx', 'routes/account.ts'],
    ['routes/account.ts', 'screens/tags/tags-list.tsx'],
    ['shell/shell.tsx', 'screens/errors/error-page.tsx'],
    ['screens/tags/tags-list.tsx', 'screens/tags/tag-drawer.tsx'],
    ['screens/tags/tags-list.tsx', 'components/lists/list-page.tsx'],
    ['screens/messages/conversation.tsx', 'screens/payloads/payload-list.ts'],
    ['screens/telemetry/telemetry-lists.ts', 'screens/payloads/payload-columns.ts'],
    ['ui/confirm.tsx', 'api/failure-text.ts'],
  ] as const)
    assert.ok(standsOnInPortal(from, to), `${from} ${to}`)
  for (const [from, to] of [
    ['api/notices.ts', 'ui/icon.tsx'],
    ['ui/icon.tsx', 'components/facts.tsx'],
    ['components/facts.tsx', 'screens/tags/tags-list.tsx'],
    ['screens/tags/tags-list.tsx', 'shell/brand.tsx'],
    ['screens/tags/tags-list.tsx', 'screens/groups/group-drawer.tsx'],
    ['screens/payloads/payload-list.ts', 'screens/telemetry/telemetry-lists.ts'],
    ['screens/payloads/payload-list.ts', 'screens/messages/conversation.tsx'],
    ['shell/shell.tsx', 'main.tsx'],
    ['shell/shell.tsx', 'somewhere/else.ts'],
  ] as const)
    assert.ok(!standsOnInPortal(from, to), `${from} ${to}`)
})

test('a module imports no higher tier, and two modules never import each other', () => {
  assert.ok(standsOn('retention/expire-payloads.ts', 'payloads/store.ts'))
  assert.ok(!standsOn('payloads/detail/read.ts', 'retention/store.ts'))
  assert.ok(!standsOn('alerts/links.ts', 'payloads/store.ts'))
  assert.deepEqual(
    mutualImports([
      ['devices/fleet.ts', 'licenses/store.ts'],
      ['licenses/routes.ts', 'devices/store.ts'],
      ['roles/save.ts', 'licenses/store.ts'],
    ]),
    ['devices and licenses import each other'],
  )
})

test('an exception applies to one documented pair and must be needed', () => {
  const exceptions = exceptionsOf(`
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

test('collects static imports, type imports, re-exports and import() calls', () => {
  const text = `
    import type { A } from './types.ts'
    import b, { c } from './values.ts'
    import 'node:fs'
    export { d } from './again.ts'
    export * from './all.ts'
    const e = async () => (await import('./late.tsx')).e
    // import('./comment.ts')
    const f = <A,>() => <p>{String(e)}</p>`
  assert.deepEqual(relativeImports('x.tsx', text), [
    './types.ts',
    './values.ts',
    './again.ts',
    './all.ts',
    './late.tsx',
  ])
})

test('the check for unused code refuses a cycle through import() and an unused file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'custodia-knip-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { include, rules, cycles } = JSON.parse(readFileSync(join(ROOT, 'knip.json'), 'utf8'))
  const files = {
    'knip.json': JSON.stringify({ include, rules, cycles, entry: ['a.ts'], project: ['*.ts'] }),
    'package.json': '{}',
    'a.ts': `export const a = async () => (await import('./b.ts')).b`,
    'b.ts': `import { a } from './a.ts'\nexport const b = () => a`,
    'c.ts': '',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const { stdout, status } = spawnSync(join(ROOT, 'node_modules/.bin/knip'), {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.match(stdout, /Unused files[^]*c\.ts[^]*Circular dependencies[^]*a\.ts/)
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
    if (screen === undefined || areasOf(path).includes('administration')) continue
    seen++
    const theirs = neededBy(resolve(PORTAL, '..', screen), sources).filter((each) =>
      SOURCES.administration.some((folder) => each.startsWith(`${folder}/`)),
    )
    assert.deepEqual(theirs, [], path)
  }
  assert.ok(seen > 10)
})
