import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { addCounts, countFailure, noCounts } from './counts.ts'
import type { Counts } from './counts.ts'
import { ROOT } from './run.ts'
import type { FileReport } from './test-worker.ts'

const WORKER = fileURLToPath(new URL('test-worker.ts', import.meta.url))
/** Worker processes at the same time: two more than cores, because tests also wait for programs and timers. */
const WORKERS = 4
/** Each file makes much garbage beside all that stays loaded: with more room it is collected a third as often. */
const YOUNG_GENERATION = '--max-semi-space-size=64'
/** Bytes of resident memory above which a worker process is replaced after a file. */
const MEMORY = 2 * 1024 ** 3

export interface TestRun {
  /** Seconds within which a test file must end. */
  timeout: number
  /** True: each file runs in a process of its own. */
  isIsolated?: boolean
}

/**
 * Runs test files in worker processes, which load the modules of the product once and run one file after another. A
 * file that hangs, or that ends its process, fails by its name; the others run in a new process.
 *
 * @param files absolute paths; they start in this order
 */
export async function runTestFiles(
  files: readonly string[],
  { timeout, isIsolated = false }: TestRun,
): Promise<Counts> {
  const counts = noCounts()
  const waiting = files.map((file) => (file.startsWith(ROOT) ? file.slice(ROOT.length) : file))
  await Promise.all(Array.from({ length: WORKERS }, () => runLane()))
  return counts

  async function runLane(): Promise<void> {
    let worker: ChildProcess | undefined
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      worker ??= fork(WORKER, { cwd: ROOT, execArgv: [...process.execArgv, YOUNG_GENERATION] })
      const started = performance.now()
      const report = await runFile(worker, file, timeout)
      addCounts(counts, report.counts)
      print(file, report, (performance.now() - started) / 1000)
      if (report.memory > MEMORY || isIsolated) {
        worker.kill('SIGKILL')
        worker = undefined
      }
    }
    worker?.kill('SIGKILL')
  }
}

/** Resolves to what a worker reports about one file; a worker that did not report is dead. */
function runFile(worker: ChildProcess, file: string, timeout: number): Promise<FileReport> {
  return new Promise((resolve) => {
    const fail = (reason: string) => {
      worker.kill('SIGKILL')
      const counts = noCounts()
      countFailure(counts, `${file}: ${reason}`)
      done({ counts, cpu: 0, memory: Infinity })
    }
    const onExit = (code: number | null, signal: string | null) =>
      fail(`its process ended with ${signal ?? code}`)
    const timer = setTimeout(() => fail(`it did not end within ${timeout} s`), timeout * 1000)
    const done = (report: FileReport) => {
      clearTimeout(timer)
      worker.off('exit', onExit).off('message', done)
      resolve(report)
    }
    worker.once('exit', onExit).once('message', done)
    worker.send(file)
  })
}

function print(
  file: string,
  { counts: { passed, failed, skipped }, cpu }: FileReport,
  seconds: number,
): void {
  const outcome = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
    `${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU`,
  ]
  console.log(`${failed > 0 ? 'FAILED' : 'ok    '} ${file} (${outcome.join(', ')})`)
}
