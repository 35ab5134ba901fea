import { runChecks } from './checks.ts'

const failed = (await runChecks()).filter(({ isGood }) => !isGood)
if (failed.length > 0) {
  console.error(`Failed: ${failed.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}
