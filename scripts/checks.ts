import { run } from './run.ts'

/** What must hold of the code before any test runs: name, program, arguments, folder. */
const CHECKS: readonly { name: string; program: string; args: string[] }[] = [
  { name: 'format', program: 'oxfmt', args: ['--check', '.'] },
  { name: 'lint and import rules', program: 'oxlint', args: ['--deny-warnings'] },
  { name: 'circles of imports', program: 'node', args: ['scripts/circles.ts'] },
  { name: 'floors of server and portal', program: 'node', args: ['scripts/floors.ts'] },
  { name: 'SQL in stores only', program: 'node', args: ['scripts/statements.ts'] },
  { name: 'types', program: 'tsc', args: ['-p', 'tsconfig.json'] },
  { name: 'types of the portal', program: 'npm', args: ['run', '-s', '-w', '@custodia/web', 'check'] },
  { name: 'unused code', program: 'knip', args: ['--no-progress'] },
  {
    name: 'phrases of both languages',
    program: 'npm',
    args: ['run', '-s', '-w', '@custodia/web', 'i18n:check'],
  },
]

/** Runs every check and resolves to the names of those that failed. */
export async function runChecks(): Promise<string[]> {
  const failed: string[] = []
  for (const check of CHECKS) {
    const started = performance.now()
    const code = await run(check.program, check.args)
    console.log(
      `${code === 0 ? 'ok    ' : 'FAILED'} ${check.name} (${((performance.now() - started) / 1000).toFixed(1)} s)`,
    )
    if (code !== 0) failed.push(check.name)
  }
  return failed
}

export const CHECK_COUNT = CHECKS.length
