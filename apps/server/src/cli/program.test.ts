import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../../../bin/custodia', import.meta.url))

/** Runs a command as an operator does: in any folder, with hardly any environment. */
function custodia(...argv: string[]) {
  const { status, stdout, stderr } = spawnSync(PROGRAM, argv, {
    cwd: tmpdir(),
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      CUSTODIA_DATA: '/nonexistent/data',
    },
  })
  return { status, stdout, stderr }
}

test('one program has all commands with help, and separate exit codes for a wrong command line and a failure', () => {
  const help = custodia('--help')
  assert.deepEqual([help.status, help.stderr], [0, ''])
  const names = [...help.stdout.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name]) => name ?? '')
  for (const name of [
    'start',
    'api',
    'worker',
    'bootstrap',
    'tenant',
    'verify',
    'backup',
    'restore',
    'keys',
    'migrate',
    'certificate',
  ])
    assert.ok(names.includes(name), name)
  const described = custodia('tenant', '--help')
  assert.equal(described.status, 0)
  assert.ok(described.stdout.startsWith('custodia tenant create'), described.stdout)
  for (const argv of [
    ['unknown'],
    ['backup', '--misspelt', 'folder'],
    ['start', 'twice'],
    ['worker', 'twice'],
  ]) {
    const { status, stdout, stderr } = custodia(...argv)
    assert.deepEqual([status, stdout], [2, ''], argv.join(' '))
    assert.match(stderr, /custodia/)
  }
  const half = custodia('api')
  assert.equal(half.status, 1)
  assert.match(half.stderr, /splitting the process needs DATABASE_URL/)
  const failed = custodia('verify')
  assert.equal(failed.status, 1)
  assert.match(failed.stderr, /^\/nonexistent\/data holds no archive/)
})
