import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeAgain } from './again.ts'
import { type Counts, noCounts } from './counts.ts'

const failedIn = (...files: (string | undefined)[]): Counts => ({
  ...noCounts(),
  passed: 7,
  failed: files.length,
  failures: files.map((file, n) => ({ text: `${n}`, ...(file === undefined ? {} : { file }) })),
})

/** Plays files that fail at the times that are named, the first repeat being 1. */
const failingAt = (times: Readonly<Record<string, number[]>>) => {
  const played: string[] = []
  const play = async (file: string): Promise<Counts> => {
    played.push(file)
    const time = played.filter((each) => each === file).length
    return times[file]?.includes(time) ? failedIn(file) : { ...noCounts(), passed: 2 }
  }
  return { played, play }
}

describe('what failed in a run of everything', () => {
  it('is cleared by a file that holds three times, and named', async () => {
    const { played, play } = failingAt({})
    const judged = await judgeAgain(failedIn('a', 'a'), play)
    assert.deepEqual(judged, { ...noCounts(), passed: 9, unsteady: ['0', '1'] })
    assert.deepEqual(played, ['a', 'a', 'a'])
  })

  for (const time of [1, 2, 3])
    it(`stands if it fails in repeat ${time}`, async () => {
      const { played, play } = failingAt({ a: [time] })
      const judged = await judgeAgain(failedIn('a', 'b'), play)
      assert.deepEqual(judged.failures, [{ text: '0', file: 'a' }])
      assert.deepEqual([judged.failed, judged.passed, judged.unsteady], [1, 8, ['1']])
      assert.equal(played.filter((each) => each === 'a').length, time)
    })

  it('stands if it is of no file', async () => {
    const { played, play } = failingAt({})
    const first = failedIn(undefined)
    assert.deepEqual(await judgeAgain(first, play), first)
    assert.deepEqual(played, [])
  })

  for (const file of ['apps/server/src/system/destruction.test.ts', 'scripts/backup.test.ts'])
    it(`stands if it is a promise of the whole: ${file}`, async () => {
      const { played, play } = failingAt({})
      const first = failedIn(file)
      assert.deepEqual(await judgeAgain(first, play), first)
      assert.deepEqual(played, [])
    })

  it('stands if a repeat runs nothing', async () => {
    const first = failedIn('a')
    assert.deepEqual(await judgeAgain(first, async () => noCounts()), first)
  })

  it('stands if more than three files failed', async () => {
    const { played, play } = failingAt({})
    assert.equal((await judgeAgain(failedIn('a', 'b', 'c', 'd'), play)).failed, 4)
    assert.deepEqual(played, [])
  })
})
