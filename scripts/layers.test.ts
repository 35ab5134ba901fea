import assert from 'node:assert/strict'
import { test } from 'node:test'
import { againstLayers, exceptionsOf, standsOn, standsOnInPortal } from './layers.ts'

test('a module may use services and the store of another module, and nothing else of it', () => {
  for (const to of [
    'app-context.ts',
    'ports/keys/port.ts',
    'http/context.ts',
    'jobs/kind.ts',
    'access/load.ts',
    'alerts/raise.ts',
    'groups/store.ts',
    'tags/validate.ts',
  ])
    assert.ok(standsOn('tags/save.ts', to), to)
  for (const to of [
    'groups/save.ts',
    'groups/key-store.ts',
    'alerts/reach.ts',
    'serve.ts',
    'config.ts',
    'demo/seed.ts',
  ])
    assert.ok(!standsOn('tags/save.ts', to), to)
})

test('ports and the request wrapper import no upper layers; entry points import everything', () => {
  assert.ok(standsOn('ports/objects/s3.ts', 'ports/disk-space.ts'))
  assert.ok(!standsOn('ports/objects/s3.ts', 'http/problem.ts'))
  assert.ok(standsOn('http/audit.ts', 'ports/database/lease.ts'))
  assert.ok(!standsOn('http/audit.ts', 'app-context.ts'))
  assert.ok(!standsOn('http/audit.ts', 'groups/store.ts'))
  assert.ok(standsOn('serve.ts', 'groups/save.ts'))
  assert.ok(standsOn('demo/seed.ts', 'clients/provision.ts'))
  assert.ok(standsOn('app-context.ts', 'config.ts'))
  assert.ok(!standsOn('app-context.ts', 'groups/save.ts'))
})

test('a submodule may use the files of its module and of lower submodules', () => {
  assert.ok(standsOn('payloads/data/data.ts', 'payloads/codes.ts'))
  assert.ok(standsOn('payloads/store.ts', 'payloads/lists/store/total.ts'))
  assert.ok(standsOn('payloads/intake/arrive.ts', 'payloads/processing/process-job.ts'))
  assert.ok(!standsOn('payloads/processing/process.ts', 'payloads/intake/arrive.ts'))
  assert.ok(!standsOn('payloads/intake/arrive.ts', 'payloads/detail/read.ts'))
  assert.ok(!standsOn('payloads/lists/list.ts', 'payloads/data/data.ts'))
})

test('tests may import their own module and the fixtures, and no other code imports tests', () => {
  for (const to of ['testing/server.ts', 'tags/save.ts', 'tags/tags.test-support.ts', 'groups/store.ts'])
    assert.ok(standsOn('tags/tags.test.ts', to), to)
  for (const to of [
    'groups/save.ts',
    'groups/groups.test-support.ts',
    'system/matrix/run.test-support.ts',
    'config.ts',
  ])
    assert.ok(!standsOn('tags/tags.test.ts', to), to)
  assert.ok(standsOn('ports/objects/s3.test.ts', 'testing/radosgw.ts'))
  assert.ok(!standsOn('ports/objects/s3.test.ts', 'http/problem.ts'))
  assert.ok(standsOn('system/journey.test.ts', 'groups/save.ts'))
  assert.ok(standsOn('testing/server.ts', 'serve.ts'))
  assert.ok(!standsOn('testing/server.ts', 'system/matrix/run.test-support.ts'))
  for (const from of ['tags/save.ts', 'serve.ts', 'demo/seed.ts', 'ports/objects/s3.ts'])
    for (const to of ['testing/until.ts', 'tags/tags.test-support.ts', 'ports/objects/port.conformance.ts'])
      assert.ok(!standsOn(from, to), `${from} ${to}`)
})

test('portal code follows its layers, and no screen imports another screen', () => {
  for (const [from, to] of [
    ['main.tsx', 'routes/index.tsx'],
    ['routes/index.tsx', 'screens/tags/tags-list.tsx'],
    ['shell/shell.tsx', 'screens/errors/error-page.tsx'],
    ['screens/tags/tags-list.tsx', 'screens/tags/tag-drawer.tsx'],
    ['screens/tags/tags-list.tsx', 'components/lists/list-page.tsx'],
    ['ui/confirm.tsx', 'api/failure-text.ts'],
  ] as const)
    assert.ok(standsOnInPortal(from, to), `${from} ${to}`)
  for (const [from, to] of [
    ['api/notices.ts', 'ui/icon.tsx'],
    ['ui/icon.tsx', 'components/facts.tsx'],
    ['components/facts.tsx', 'screens/tags/tags-list.tsx'],
    ['screens/tags/tags-list.tsx', 'shell/brand.tsx'],
    ['screens/tags/tags-list.tsx', 'screens/groups/group-drawer.tsx'],
    ['shell/shell.tsx', 'main.tsx'],
    ['shell/shell.tsx', 'somewhere/else.ts'],
  ] as const)
    assert.ok(!standsOnInPortal(from, to), `${from} ${to}`)
})

test('an exception applies to one documented pair and must be needed', () => {
  const exceptions = exceptionsOf(`
| who | uses | why |
| --- | ---- | --- |
| \`verify/\` | \`payloads/codes.ts\`, \`payloads/failures.ts\` | states |
| \`tags/save.ts\`   | \`groups/save.ts\` | \`not/this.ts\` |`)
  assert.deepEqual(exceptions, [
    { who: 'verify/', uses: 'payloads/codes.ts' },
    { who: 'verify/', uses: 'payloads/failures.ts' },
    { who: 'tags/save.ts', uses: 'groups/save.ts' },
  ])
  assert.deepEqual(
    againstLayers(
      [
        ['verify/rows.ts', 'payloads/codes.ts'],
        ['verify/deep.ts', 'payloads/failures.ts'],
        ['verify/deep.ts', 'groups/save.ts'],
        ['tags/routes.ts', 'groups/save.ts'],
      ],
      exceptions,
    ),
    [
      'verify/deep.ts imports groups/save.ts',
      'tags/routes.ts imports groups/save.ts',
      'an exception is not needed: tags/save.ts for groups/save.ts',
    ],
  )
})
