import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { countFail, countPass, noCounts } from './counts.ts'
import type { Counts } from './counts.ts'
import { ROOT } from './run.ts'

/** Milliseconds within which a test file must end: one that hangs is ended, one on a busy machine is not. */
const TIMEOUT = 1_200_000

/** Runs test files, two at a time, prints what happens and resolves to what was counted. */
export async function runTestFiles(files: readonly string[]): Promise<Counts> {
  const counts = noCounts()
  const stream = run({ files: files.toSorted(), concurrency: 2, timeout: TIMEOUT })
  stream.on('test:pass', (passed) => countPass(counts, passed))
  stream.on('test:fail', (failed) => {
    const file = failed.file ?? ''
    countFail(counts, failed, file.startsWith(ROOT) ? file.slice(ROOT.length) : file)
  })
  // The last summary is that of all files; it knows if anything failed, whatever it was.
  let isSuccess = false
  stream.on('test:summary', ({ success }) => {
    isSuccess = success
  })
  await new Promise((resolve, reject) => {
    stream.compose(new spec()).on('error', reject).on('end', resolve).pipe(process.stdout)
  })
  if (!isSuccess && counts.failed === 0) {
    counts.failed++
    counts.failures.push({ text: 'tests: the runner failed and named no test' })
  }
  return counts
}
