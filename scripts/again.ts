import type { Counts } from './counts.ts'

/** How often a file must hold once something in it failed. */
const TIMES = 3

/**
 * Files that hold the promises of the whole: races, kills, nothing destroyed early, nothing lost. What fails there stands: by itself a file meets
 * less beside it, and a race that only shows under load would be cleared.
 */
const PROMISES = /^apps\/server\/src\/system\/|^scripts\/backup/

/** Where more files than this failed, it was no chance. */
const MOST_FILES = 3

/**
 * Runs each file in which something failed three more times by itself. One that holds each time failed by chance: among thousands of tests there is
 * now and then a machine that stood still or a job that ran between two lines, and a run of everything that falls for it says nothing. What it was is
 * counted as passed and named in `unsteady`, to be mended. Where a file fails again, or more than a few did, or what failed is of no file or is a promise of the whole, it stands.
 *
 * @param counts what the first run found
 * @param play runs one file, named as in `counts`, alone
 */
export async function judgeAgain(counts: Counts, play: (file: string) => Promise<Counts>): Promise<Counts> {
  const files = new Set(counts.failures.map(({ file }) => file))
  if (files.size > MOST_FILES) return counts
  const steady = new Set<string | undefined>()
  for (const file of files)
    if (file !== undefined && !PROMISES.test(file) && (await holds(file, play))) steady.add(file)
  const cleared = counts.failures.filter(({ file }) => steady.has(file))
  return {
    ...counts,
    passed: counts.passed + cleared.length,
    failed: counts.failed - cleared.length,
    failures: counts.failures.filter(({ file }) => !steady.has(file)),
    unsteady: [...counts.unsteady, ...cleared.map(({ text }) => text)],
  }
}

async function holds(file: string, play: (file: string) => Promise<Counts>): Promise<boolean> {
  for (let time = 1; time <= TIMES; time++) {
    console.log(`\n${file} failed. Once more by itself, ${time} of ${TIMES}:`)
    const { passed, failed } = await play(file)
    if (failed > 0 || passed === 0) return false
  }
  return true
}
