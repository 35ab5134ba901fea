import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  describeMedia,
  detectConfinement,
  type ToolLimits,
  toolEnvironment,
  unconfined,
  type Restriction,
  RESTRICTIONS,
} from './tools.ts'

const LIMITS: ToolLimits = { memory_bytes: 64 * 1024 ** 2, cpu_seconds: 1 }
const confinement = await detectConfinement('/bin/true', '')
const has = (restriction: Restriction) => !confinement.missing.includes(restriction)
const needs = (restriction: Restriction) => ({
  skip: !has(restriction) && `this system offers no restriction of ${restriction}`,
})

/** The output of a shell script under confinement, and how it ended. */
function script(text: string): Promise<{ printed: string; signal: string | null; code: number | null }> {
  const [program, args] = confinement.command('/bin/sh', ['-c', text], LIMITS)
  return new Promise((resolve) => {
    const child = execFile(program, args, { env: toolEnvironment(), cwd: '/' }, (_error, printed) =>
      resolve({ printed, signal: child.signalCode, code: child.exitCode }),
    )
  })
}
const status = async (name: string) =>
  new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec((await script('cat /proc/self/status')).printed)?.[1]

test('switches from root to an unused user without groups', needs('user'), async () => {
  assert.match((await status('Uid')) ?? '', /^65533\s+65533\s+65533\s+65533$/)
  assert.match((await status('Gid')) ?? '', /^65533\s+65533\s+65533\s+65533$/)
  assert.equal((await status('Groups'))?.trim(), '')
})

test('removes all capabilities and blocks new privileges', needs('privileges'), async () => {
  assert.equal(await status('NoNewPrivs'), '1')
  for (const name of ['CapEff', 'CapPrm', 'CapInh', 'CapAmb'])
    assert.equal(Number.parseInt((await status(name)) ?? 'f', 16), 0, name)
})

test('prevents writing to a disk', needs('limits'), async () => {
  const folder = mkdtempSync(join(tmpdir(), 'custodia-restrictions-'))
  chmodSync(folder, 0o777)
  try {
    await script(`cat /etc/hostname > ${folder}/x`)
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).size, 0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('limits memory and processor time', needs('limits'), async () => {
  // tail buffers the output.
  const { printed } = await script('head -c 160000000 /dev/zero | tail -c 150000000 | wc -c')
  assert.ok(Number(printed) < 150_000_000, printed)
  const { signal } = await script('while :; do :; done')
  assert.equal(signal, 'SIGXCPU')
})

test('runs the program in a network namespace with only a loopback', needs('network'), async () => {
  const ours = readlinkSync('/proc/self/ns/net')
  const { printed } = await script('readlink /proc/self/ns/net; tail -n +3 /proc/net/dev | cut -d: -f1')
  const [theirs, ...interfaces] = printed.trim().split(/\s+/)
  assert.notEqual(theirs, ours)
  assert.deepEqual(interfaces, ['lo'])
})

test('falls back to shell limits without util-linux and reports all missing restrictions', async () => {
  const path = process.env.PATH
  process.env.PATH = '/nowhere'
  const poor = await detectConfinement('/bin/true', '').finally(() => (process.env.PATH = path))
  assert.deepEqual(poor.missing, [...RESTRICTIONS])
  const [program, args] = poor.command('/bin/sh', ['-c', 'ulimit -f; ulimit -t; ulimit -n'], LIMITS)
  assert.equal(execFileSync(program, args).toString(), '0\n1\n64\n')
})

test('describes missing restrictions and a missing converter', () => {
  const tools = { ffmpeg: '', ffprobe: '', ffmpeg_version: '', ffprobe_version: '' }
  const without = (...missing: Restriction[]) => ({ ...tools, confinement: { ...unconfined, missing } })
  assert.equal(describeMedia(undefined), 'not installed')
  assert.equal(describeMedia(without()), 'confined')
  assert.equal(describeMedia(without('user', 'network')), 'without user, network')
})
