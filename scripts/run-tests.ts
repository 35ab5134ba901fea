import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { addCounts, countFailure, noCounts } from './counts.ts'
import type { Counts } from './counts.ts'
import { ROOT } from './run.ts'
import type { FileReport } from './test-worker.ts'

const WORKER = fileURLToPath(new URL('test-worker.ts', import.meta.url))
/** Parallel worker processes: two more than cores, because tests also wait for programs and timers. */
const WORKERS = 4
/** A larger young generation reduces garbage collections to a third. */
const YOUNG_GENERATION = '--max-semi-space-size=64'
/** Bytes of resident memory after which a worker is replaced. */
const MEMORY = 2 * 1024 ** 3

export interface TestRun {
  /** Timeout of a test file, in seconds. */
  timeout: number
  /** True: a separate process per file. */
  isIsolated?: boolean
}

/**
 * Runs test files in worker processes, which load the product's modules once. A file that hangs or exits fails by
 * name; the others run in a new process.
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

/** Resolves to a worker's report of one file; a worker without a report has crashed. */
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
