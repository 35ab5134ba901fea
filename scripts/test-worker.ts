// Runs the test files of its parent in sequence, in this process: `run-tests.ts` starts it.
import { type EventData, run } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { countFail, countFailure, countPass, noCounts } from './counts.ts'
import type { Counts } from './counts.ts'

export interface FileReport {
  counts: Counts
  /** CPU seconds of the file in this process. */
  cpu: number
  /** Bytes of resident memory after the file. */
  memory: number
}

/** A longer search for a smaller counterexample would meet the timeout of the file, and hide the failure. */
const SHRINK_SECONDS = 30

const initialEnv = { ...process.env }

fc.installGlobalPlugin(() => {
  let end = Infinity
  const note = <Result extends object | null>(result: Result): Result => {
    if (result && 'error' in result) end = Math.min(end, performance.now() + SHRINK_SECONDS * 1000)
    return result
  }
  return {
    decorateRun: (run) => (value) => {
      // A run that passes is no smaller counterexample.
      if (performance.now() > end) return null
      const result = run(value)
      return result instanceof Promise ? result.then(note) : note(result)
    },
  }
})

process.on('message', (file: string) => {
  // node:test ends a file when nothing keeps the process alive.
  process.channel?.unref()
  const before = process.cpuUsage()
  void runOne(file).then((counts) => {
    process.channel?.ref()
    restoreEnv()
    const { user, system } = process.cpuUsage(before)
    const report: FileReport = { counts, cpu: (user + system) / 1e6, memory: process.memoryUsage.rss() }
    process.send?.(report)
  })
})

/** Changes variables one by one: Node watches `process.env` for the time zone. */
function restoreEnv(): void {
  for (const name of Object.keys(process.env)) if (!(name in initialEnv)) delete process.env[name]
  Object.assign(process.env, initialEnv)
}

async function runOne(file: string): Promise<Counts> {
  const counts = noCounts()
  const stream = run({ files: [file], isolation: 'none' })
  stream.on('test:pass', (passed) => countPass(counts, passed))
  stream.on('test:fail', (failed) => {
    countFail(counts, failed, file)
    printFailure(failed)
  })
  let isSuccess = false
  stream.on('test:summary', ({ success }) => {
    isSuccess = success
  })
  await new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject).resume())
  if (!isSuccess && counts.failed === 0) countFailure(counts, `${file}: the runner failed and named no test`)
  if (counts.passed + counts.failed + counts.skipped.length === 0)
    countFailure(counts, `${file}: it has no test`)
  return counts
}

function printFailure({ name, details }: EventData.TestFail): void {
  console.log(`✖ ${name}\n${inspect(details.error.cause ?? details.error)}`)
}
