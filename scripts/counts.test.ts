import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it, run } from 'node:test'
import { countFail, countJourneys, countPass, noCounts } from './counts.ts'
import type { Counts } from './counts.ts'

/** Counts of a test file with these lines, from the real runner. */
async function countsOf(body: string): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-counts-'))
  const counts = noCounts()
  try {
    const file = join(folder, 'a.test.mjs')
    await writeFile(file, `import { after, describe, it } from 'node:test'\n${body}`)
    const stream = run({ files: [file] })
    stream.on('test:pass', (passed) => countPass(counts, passed))
    stream.on('test:fail', (failed) => countFail(counts, failed, 'a'))
    for await (const _event of stream);
  } finally {
    await rm(folder, { recursive: true })
  }
  return counts
}

const THROW = `{ throw new Error('broken') }`

describe('counts of tests', () => {
  // The runner runs no files when this variable shows a nested run.
  before(() => {
    delete process.env.NODE_TEST_CONTEXT
  })

  it('counts tests, not the suites around them', async () => {
    const counts = await countsOf(`describe('s', () => { it('a', () => {}); it('b', () => ${THROW}) })`)
    assert.deepEqual(counts, {
      ...noCounts(),
      passed: 1,
      failed: 1,
      failures: ['a: b (broken)'],
    })
  })

  for (const [what, body] of [
    ['whose body throws', `describe('s', () => ${THROW})`],
    ['whose body rejects', `describe('s', async () => ${THROW})`],
    ['whose last hook throws', `describe('s', () => { after(() => ${THROW}) })`],
  ] as const)
    it(`counts a suite ${what}`, async () => {
      const { failed, failures } = await countsOf(body)
      assert.deepEqual([failed, failures], [1, ['a: s (broken)']])
    })

  it('counts a file with a missing import as failed', async () => {
    assert.equal((await countsOf(`import './missing.mjs'`)).failed, 1)
  })

  it('names skipped tests and their reasons', async () => {
    const { passed, skipped } = await countsOf(
      `it('a', { skip: 'no ffmpeg' }, () => {}); it.skip('b', () => {})`,
    )
    assert.deepEqual([passed, skipped], [0, ['a: no ffmpeg', 'b']])
  })
})

describe('counts of journeys', () => {
  const suite = (...statuses: ('expected' | 'unexpected' | 'flaky' | 'skipped')[]) => ({
    title: 'a.spec.ts',
    suites: [{ title: 's', specs: statuses.map((status, n) => ({ title: `${n}`, tests: [{ status }] })) }],
  })

  it('counts passed, failed and skipped journeys', () => {
    assert.deepEqual(countJourneys({ suites: [suite('expected', 'unexpected', 'flaky', 'skipped')] }, 1), {
      ...noCounts(),
      passed: 1,
      failed: 2,
      skipped: ['a.spec.ts › s › 3'],
      failures: ['a.spec.ts › s › 1', 'a.spec.ts › s › 2'],
    })
  })

  it('counts each error outside a journey', () => {
    const report = { suites: [suite('expected')], errors: [{ message: 'Cannot find\nat' }, {}] }
    assert.deepEqual(countJourneys(report, 1).failures, ['journeys: Cannot find', 'journeys: an error'])
  })

  it('fails when the program fails without a stated reason', () => {
    assert.equal(countJourneys({ suites: [suite('expected')] }, 0).failed, 0)
    assert.equal(countJourneys({ suites: [suite('expected')] }, 2).failed, 1)
    assert.equal(countJourneys(undefined, 1).failed, 1)
  })

  it('fails when no journey ran', () => {
    assert.equal(countJourneys({ suites: [] }, 0).failed, 1)
    assert.equal(countJourneys({ suites: [suite('skipped')] }, 0).failed, 1)
    assert.equal(countJourneys(undefined, 0).failed, 1)
  })
})
