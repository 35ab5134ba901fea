import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { BENCH_NAMES } from './benches.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
/** Milliseconds after which a run that hangs is killed; a quiet machine needs two minutes. */
const TIMEOUT = 1_800_000
/** The line that a tiny run prints for each bench. */
const OUTCOME = /^(?:ok {6}bench (?<passed>\S+) \(.*\)|FAILED {2}bench (?<failed>[^\s:]+): (?<message>.*))$/gm

/** The outcome of one bench; a passed one has no error. */
interface Outcome {
  name: string
  error?: string | undefined
}

/** Runs every bench at tiny sizes. Prints the log of the run if a bench failed. */
export async function smokeBenches(): Promise<Outcome[]> {
  const child = spawn(process.execPath, [MAIN, '--tiny'], { timeout: TIMEOUT, killSignal: 'SIGKILL' })
  const [output, log] = await Promise.all([text(child.stdout), text(child.stderr)])
  const outcomes = outcomesIn(output)
  if (outcomes.some(({ error }) => error !== undefined)) console.error(log)
  return outcomes
}

/** The outcome of every bench by the output of a tiny run. */
export function outcomesIn(output: string): Outcome[] {
  const errors = new Map<string, string | undefined>()
  for (const { groups } of output.matchAll(OUTCOME))
    errors.set(groups?.['passed'] ?? groups?.['failed'] ?? '', groups?.['message'])
  return BENCH_NAMES.map((name) => ({ name, error: errors.has(name) ? errors.get(name) : 'did not finish' }))
}
