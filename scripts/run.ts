import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a program of the project (from node_modules/.bin, or Node) and resolves to its exit code. `env` adds variables, `environment`
 * replaces all.
 */
export function run(
  program: string,
  args: readonly string[],
  options: {
    cwd?: string
    env?: Record<string, string>
    environment?: Record<string, string>
    quiet?: boolean
  } = {},
): Promise<number> {
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    cwd: options.cwd ?? ROOT,
    env: options.environment ?? { ...process.env, ...options.env },
    stdio: ['ignore', options.quiet ? 'ignore' : 'inherit', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)))
  })
}
