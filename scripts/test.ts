// Everything that must hold: checks, tests against real parts, journeys in a real browser. Ends with one line of counts.
import { glob } from 'node:fs/promises'
import { startTestServer } from '../apps/server/src/testing/database.ts'
import { radosgwAvailable, startRadosgw } from '../apps/server/src/testing/radosgw.ts'
import { runComponents } from '../e2e/components.ts'
import { playAlone, runJourneys } from '../e2e/run.ts'
import { judgeAgain } from './again.ts'
import { measureBudgets } from './budgets.ts'
import { buildPortal } from './build-portal.ts'
import { CHECK_COUNT, runChecks } from './checks.ts'
import { noCounts } from './counts.ts'
import type { Counts } from './counts.ts'
import { runTestFiles } from './run-tests.ts'
import { ROOT } from './run.ts'

// Most of the time in which a test file or server starts goes into reading our own code, the same one for all of them.
process.env.NODE_COMPILE_CACHE ??= `${ROOT}node_modules/.cache/node`

const only = process.argv[2]
const counts = noCounts()

if (only === undefined || only === 'check') await check()
if (only === undefined || only === 'unit') await unit()
if (only === undefined || only === 'e2e') await journeys()

if (counts.skipped.length > 0)
  console.log(`\nSkipped:\n${counts.skipped.map((name) => `  ${name}`).join('\n')}`)
if (counts.failures.length > 0)
  console.log(`\nFailed:\n${counts.failures.map(({ text }) => `  ${text}`).join('\n')}`)
if (counts.unsteady.length > 0)
  console.log(`\nFailed once, then held each time:\n${counts.unsteady.map((text) => `  ${text}`).join('\n')}`)
const skipped = counts.skipped.length > 0 ? `, ${counts.skipped.length} skipped` : ''
console.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`)
process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0)

function add(more: Counts): void {
  counts.passed += more.passed
  counts.failed += more.failed
  counts.skipped.push(...more.skipped)
  counts.failures.push(...more.failures)
  counts.unsteady.push(...more.unsteady)
}

async function check(): Promise<void> {
  const failed = await runChecks()
  add({
    ...noCounts(),
    passed: CHECK_COUNT - failed.length,
    failed: failed.length,
    failures: failed.map((text) => ({ text })),
  })
}

/** One database server and one S3 server serve all tests, each test file with a database and a bucket of its own. */
async function unit(): Promise<void> {
  const database = process.env.TEST_DATABASE_URL ? undefined : await startTestServer()
  if (database) process.env.TEST_DATABASE_URL = database.url
  const s3 = radosgwAvailable() && !process.env.TEST_S3_ENDPOINT ? await startRadosgw() : undefined
  if (s3) {
    process.env.TEST_S3_ENDPOINT = s3.endpoint
    process.env.TEST_S3_ACCESS_KEY_ID = s3.accessKeyId
    process.env.TEST_S3_SECRET_ACCESS_KEY = s3.secretAccessKey
  }
  try {
    add(await judgeAgain(await runTestFiles(await testFiles()), (file) => runTestFiles([`${ROOT}${file}`])))
  } finally {
    await s3?.stop()
    await database?.stop()
  }
}

async function testFiles(): Promise<string[]> {
  const files: string[] = []
  for await (const path of glob('{packages,apps,bench,scripts}/**/*.test.ts', {
    cwd: ROOT,
    exclude: (path) => /node_modules|dist/.test(path),
  })) {
    files.push(`${ROOT}${path}`)
  }
  return files
}

async function journeys(): Promise<void> {
  await buildPortal(console.log)
  await budgets()
  add(await runComponents())
  for (const half of await runJourneys()) add(await judgeAgain(half, playAlone))
}

/** The first load of each page stays within what the design allows. */
async function budgets(): Promise<void> {
  for (const { name, amount, budget, unit } of await measureBudgets()) {
    const isWithin = amount <= budget
    console.log(`${isWithin ? 'ok    ' : 'FAILED'} ${name}: ${amount} of ${budget} ${unit}`)
    add({
      ...noCounts(),
      passed: Number(isWithin),
      failed: Number(!isWithin),
      failures: isWithin ? [] : [{ text: `budget: ${name}` }],
    })
  }
}
