import { run } from './run.ts'

/** One thread needs half the CPU time of four, and the tests run at the same time. */
const ONE_THREAD = '--singleThreaded'

/** Checks that run before any test: name, program, arguments, folder. */
const CHECKS: readonly { name: string; program: string; args: string[] }[] = [
  { name: 'format', program: 'oxfmt', args: ['--check', '.'] },
  { name: 'lint and import rules', program: 'oxlint', args: ['--deny-warnings'] },
  { name: 'layers of server and portal', program: 'node', args: ['scripts/layers.ts'] },
  { name: 'SQL in stores only', program: 'node', args: ['scripts/statements.ts'] },
  { name: 'plain words', program: 'node', args: ['scripts/words.ts'] },
  { name: 'types', program: 'tsc', args: ['-p', 'tsconfig.json', ONE_THREAD] },
  { name: 'types of the portal', program: 'tsc', args: ['-p', 'apps/web/tsconfig.json', ONE_THREAD] },
  { name: 'unused code and cycles of imports', program: 'knip', args: ['--no-progress'] },
  {
    name: 'phrases of both languages',
    program: 'npm',
    args: ['run', '-s', '-w', '@custodia/web', 'i18n:check'],
  },
]

/** Runs every check in sequence; resolves to the outcome of each. */
export async function runChecks(): Promise<{ name: string; isGood: boolean }[]> {
  const results: { name: string; isGood: boolean }[] = []
  for (const { name, program, args } of CHECKS) {
    const started = performance.now()
    const isGood = (await run(program, args)) === 0
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${isGood ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
    results.push({ name, isGood })
  }
  return results
}

if (import.meta.main) {
  const failed = (await runChecks()).filter(({ isGood }) => !isGood)
  if (failed.length > 0) {
    console.error(`Failed: ${failed.map(({ name }) => name).join(', ')}`)
    process.exit(1)
  }
}
