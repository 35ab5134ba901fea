import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { cpuMilliseconds, type Sample } from './load.ts'
import { PERFORMANCE_FILE, performancePage, type Results, summarise } from './report.ts'
import { outcomesIn } from './smoke.ts'

const sample = (per_second: number): Sample => ({ requests: 1, per_second, p50: 1, p99: 1, cpu: 1 })

it('compares the runs of a pair with each other, not the medians of both sides', () => {
  const pairs = [
    [100, 200],
    [10, 10],
    [30, 40],
  ].map(([a = 0, b = 0]) => ({ subject: sample(a), floor: sample(b) }))
  const { figures } = summarise({ name: '', note: '', pairs })
  assert.deepEqual(figures.per_second, {
    subject: 30,
    floor: 40,
    ratio: { median: 0.75, least: 0.5, most: 1 },
  })
})

it(
  'counts the CPU time of processes, and of their children that have ended',
  { skip: process.platform !== 'linux' },
  () => {
    const spend = 'const start = process.cpuUsage(); while (process.cpuUsage(start).user < 100_000);'
    const before = cpuMilliseconds([process.pid])
    spawnSync(process.execPath, ['-e', spend])
    const ofChild = cpuMilliseconds([process.pid]) - before
    assert.ok(ofChild >= 60 && ofChild < 1000, `${ofChild} ms of the child`)
    // Until the system has counted them, however long a busy machine takes for that.
    const start = process.cpuUsage()
    for (let spent = process.cpuUsage(start); spent.user + spent.system < 100_000;)
      spent = process.cpuUsage(start)
    const used = cpuMilliseconds([process.pid, 2 ** 22 + 1]) - before - ofChild
    assert.ok(used >= 60 && used < 1000, `${used} ms`)
  },
)

it('reads the outcome of each bench from the output of a run', () => {
  const output = 'Lists\n\nok      bench lists (3.2 s)\nFAILED  bench report-ingest: it broke: twice\n'
  const outcomes = new Map(outcomesIn(output).map(({ name, error }) => [name, error]))
  assert.equal(outcomes.get('lists'), undefined)
  assert.equal(outcomes.get('report-ingest'), 'it broke: twice')
  assert.equal(outcomes.get('map'), 'did not finish')
})

const MACHINE =
  /^Version \d+\.\d+\.\d+ \([0-9a-f]{8,}\) on \d{4}-\d\d-\d\d: \d+ cores of .+, \d+ GiB, Node v\d+.*,\nload [\d.]+ to [\d.]+, [\d,]+ payloads\./m

it('says in the documentation where each figure comes from, and why a goal is missed', () => {
  const cpu = { median: 2.5, least: 2, most: 3 }
  const results = {
    version: '0.1.0',
    commit: '0123abcd',
    at: '2026-11-27T18:00:00Z',
    rows: 50_000,
    node: 'v24.1.0',
    cpu: 'a CPU',
    cores: 2,
    memory_gib: 24,
    loads: [1, 2.25],
    benches: {
      lists: {
        lines: [{ name: 'first page, handler by hand, unrestricted', figures: { cpu: { ratio: cpu } } }],
      },
      transfers: { sftp: { large: [{ openssh_synced: 3, ours: 2 }] } },
    },
  } as unknown as Results
  const page = performancePage(results)
  assert.match(page, MACHINE)
  assert.match(page, /^- List: 2\.50× \(1\.6× bare handler\); \w/m)
  assert.match(page, /^- SFTP speed: 1\.50× \(1× sftp\)$/m)
  assert.match(page, /^- Word search: not measured \(3× plain page\)$/m)
  const written = readFileSync(PERFORMANCE_FILE, 'utf8')
  assert.match(written, MACHINE)
  const namesIn = (text: string) => [...text.matchAll(/^- ([^:]+):/gm)].map(([, name]) => name)
  assert.deepEqual(namesIn(written), namesIn(page))
  assert.ok(written.trim().split(/\s+/).length <= 200)
})
