import { mock } from 'node:test'
import { format } from 'node:util'
import { EXIT } from '../cli/command.ts'
import { printFailure, runProgram } from '../cli/program.ts'

/**
 * Runs a command of the operator in this process, with these settings; resolves to its exit code and what it printed.
 * The program loads the server in a second of CPU; `program.test.ts` runs it as a process.
 */
export async function custodia(
  settings: Readonly<Record<string, string>>,
  ...argv: string[]
): Promise<{ code: number; out: string }> {
  let out = ''
  const print = (...values: unknown[]) => void (out += `${format(...values)}\n`)
  const mocks = [mock.method(console, 'log', print), mock.method(console, 'error', print)]
  const before = Object.keys(settings).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, settings)
  try {
    const code = await runProgram(argv).catch((error: unknown) => {
      printFailure(error)
      return EXIT.failed
    })
    return { code, out }
  } finally {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    for (const { mock: replaced } of mocks) replaced.restore()
  }
}
