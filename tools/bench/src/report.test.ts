import assert from 'node:assert/strict'
import { it } from 'node:test'
import { cpuMilliseconds, type Sample } from './load.ts'
import { summarise } from './report.ts'
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

it('counts the CPU time of running processes', { skip: process.platform !== 'linux' }, () => {
  const before = cpuMilliseconds([process.pid])
  // Until the system has counted them, however long a busy machine takes for that.
  const start = process.cpuUsage()
  for (let spent = process.cpuUsage(start); spent.user + spent.system < 100_000;)
    spent = process.cpuUsage(start)
  const used = cpuMilliseconds([process.pid, 2 ** 22 + 1]) - before
  assert.ok(used >= 60 && used < 1000, `${used} ms`)
})

it('reads the outcome of each bench from the output of a run', () => {
  const output = 'Lists\n\nok      bench lists (3.2 s)\nFAILED  bench report-ingest: it broke: twice\n'
  const outcomes = new Map(outcomesIn(output).map(({ name, error }) => [name, error]))
  assert.equal(outcomes.get('lists'), undefined)
  assert.equal(outcomes.get('report-ingest'), 'it broke: twice')
  assert.equal(outcomes.get('map'), 'did not finish')
})
