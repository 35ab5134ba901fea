// All checks, tests, tiny benches and journeys. `npm run test:long` adds the runs that take minutes. The last line is
// always `N passed, N failed`.
import { rmSync } from 'node:fs'
import { access, chmod, constants, glob, mkdtemp, readFile, statfs } from 'node:fs/promises'
import { freemem } from 'node:os'
import { startTestServer } from '../apps/server/src/testing/database.ts'
import { radosgwAvailable, startRadosgw } from '../apps/server/src/testing/radosgw.ts'
import { runComponents } from '../e2e/components.ts'
import { runJourneys } from '../e2e/run.ts'
import { makeSnapshot } from '../e2e/snapshot.ts'
import { smokeBenches } from '../tools/bench/src/smoke.ts'
import { measureBudgets } from './budgets.ts'
import { buildPortal } from './build-portal.ts'
import { runChecks } from './check.ts'
import { addCounts, countFailure, countOne, noCounts } from './counts.ts'
import { productionObstacle, productionTest } from './production-test.ts'
import { runTestFiles } from './run-tests.ts'
import { ROOT, run } from './run.ts'

/** A known flaky test, until its cause is found. */
interface UnsteadyTest {
  /** File and name. */
  test: string
  cause: string
  /** Date of the entry, YYYY-MM-DD. Entries are removed within a week. */
  since: string
  /** The issue that tracks it. */
  issue: number
}

/** At most five. A failure of a listed test still fails the run: the list only shows that its cause is under investigation. */
const UNSTEADY: readonly UnsteadyTest[] = []

/** Timeout of a test file on a busy machine, in seconds. */
const FILE_SECONDS = 600
const LONG_FILE_SECONDS = 1200
/**
 * Programs of `npm run test:long`; each takes at most ten minutes and exits with 1 on a problem. They wait part of the
 * time, so two run at once.
 */
const PROGRAMS = [
  'tools/rigs/crash-test.ts',
  'tools/rigs/fault-test.ts',
  'tools/rigs/fuzz.ts',
  'tools/rigs/reassign-test.ts',
  'scripts/image-test.ts',
  'tools/rigs/large-upload.ts',
]
/** It measures waiting times, so it runs alone. */
const FLOOD = 'tools/rigs/flood-test.ts'

// Compile cache: most of a start is loading the same code. A portable one serves other folders with this code too.
process.env.NODE_COMPILE_CACHE ??= `${ROOT}node_modules/.cache/node`
process.env.NODE_COMPILE_CACHE_PORTABLE ??= '1'

/** Memory file system of Linux. */
const MEMORY_FOLDER = '/dev/shm'
/** Free bytes required there, and in the machine. */
const MEMORY_NEEDED = 6 * 1024 ** 3

const counts = noCounts()
let building: Promise<void> | undefined
let filling: ReturnType<typeof makeSnapshot> | undefined
const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  all: async () => {
    await withServers(async () => {
      // Everything else runs in turn while the test files run: with more at once, each waits too long for the processor.
      const others = async () => {
        await part('portal', portal)
        await part('checks', check)
        await part('production', production)
        await part('benches', bench)
        await part('demo of the journeys', fillDemo)
      }
      await Promise.all([part('tests', unit), others()])
    })
    await part('journeys', journeys)
  },
  check: () => part('checks', check),
  unit: () => part('tests', () => withServers(unit)),
  bench: () => part('benches', bench),
  production: () => part('production', production),
  e2e: async () => {
    await part('portal', portal)
    await part('journeys', journeys)
  },
  long: async () => {
    process.env.TEST_LONG = 'true'
    await part('long tests', long)
    await part('portal', portal)
    await Promise.all([part('programs', programs), part('production', production)])
    await part('flood', () => runProgram(FLOOD))
    // Each on a fresh copy of the demo: a journey leaves its traces.
    for (const locale of ['en-GB', 'pt-BR']) {
      process.env.JOURNEY_LOCALES = locale
      await part(`journeys in ${locale}`, journeys)
    }
  },
}

const [name = 'all'] = process.argv.slice(2)
const started = performance.now()
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => countFailure(counts, `npm test: ${getMessage(error)}`))
const temporary = process.env.TMPDIR ? undefined : await memoryFolder()
if (temporary) {
  process.env.TMPDIR = temporary
  process.on('exit', () => rmSync(temporary, { recursive: true, force: true }))
}
const chosen = PARTS[name]
if (!chosen) countFailure(counts, `npm test: ${name} is none of ${Object.keys(PARTS).join(', ')}`)
await chosen?.().catch((error: unknown) => countFailure(counts, `npm test: ${getMessage(error)}`))
summarise()

/**
 * A memory folder for temporary files, or undefined without room. Copying a database costs its thousand files, which
 * is ten times slower on disk.
 */
async function memoryFolder(): Promise<string | undefined> {
  try {
    await access(MEMORY_FOLDER, constants.W_OK)
    const { bavail, bsize } = await statfs(MEMORY_FOLDER)
    if (Math.min(bavail * bsize, freemem()) < MEMORY_NEEDED) return undefined
    const folder = await mkdtemp(`${MEMORY_FOLDER}/custodia-`)
    // PostgreSQL works in it as another user.
    await chmod(folder, 0o1777)
    return folder
  } catch {
    return undefined
  }
}

/** Runs one part. A thrown error fails that part only. */
async function part(title: string, work: () => Promise<void>): Promise<void> {
  const begun = performance.now()
  try {
    await work()
  } catch (error) {
    countFailure(counts, `${title}: ${getMessage(error)}`)
  }
  console.log(`\n${title}: ${seconds(begun)}\n`)
}

function summarise(): never {
  const list = (title: string, lines: readonly string[]) => {
    if (lines.length > 0) console.log(`\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }
  const isLongOnly = (name: string) => name.endsWith('npm run test:long')
  const longOnly = counts.skipped.filter(isLongOnly)
  const skipped = counts.skipped.filter((name) => !isLongOnly(name))
  list('Skipped', skipped)
  list(
    'Known to be unsteady',
    UNSTEADY.map(({ test, cause, since, issue }) => `${test}: ${cause} (since ${since}, issue ${issue})`),
  )
  list('Failed', counts.failures)
  console.log(`\n${seconds(started)}; ${longOnly.length} more tests run in npm run test:long`)
  console.log(
    `${counts.passed} passed, ${counts.failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`,
  )
  process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0)
}

async function check(): Promise<void> {
  for (const { name: checked, isGood } of await runChecks()) countOne(counts, `check: ${checked}`, isGood)
}

async function unit(): Promise<void> {
  const files = await testFiles((file) => !isLong(file))
  addCounts(counts, await runTestFiles(files, { timeout: FILE_SECONDS }))
}

/** Long tests, and the long form of others. */
async function long(): Promise<void> {
  await withServers(async () => {
    const files = await testFiles(
      (file, source) => isLong(file) || /testing\/long\.ts|TEST_LONG/.test(source),
    )
    addCounts(counts, await runTestFiles(files, { timeout: LONG_FILE_SECONDS, isIsolated: true }))
  })
}

async function programs(): Promise<void> {
  const waiting = [...PROGRAMS]
  const lane = async () => {
    for (let program = waiting.shift(); program !== undefined; program = waiting.shift())
      await runProgram(program)
  }
  await Promise.all([lane(), lane()])
}

async function runProgram(program: string): Promise<void> {
  const begun = performance.now()
  const isGood = (await run('node', [program])) === 0
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${program} (${seconds(begun)})`)
  countOne(counts, program, isGood)
}

function isLong(file: string): boolean {
  return file.endsWith('.long.test.ts')
}

/** One database server and one S3 server for all tests; each test file has its own database and bucket. */
async function withServers(work: () => Promise<void>): Promise<void> {
  await using made = new AsyncDisposableStack()
  if (!process.env.TEST_DATABASE_URL) {
    const database = await startTestServer()
    process.env.TEST_DATABASE_URL = database.url
    made.defer(() => {
      // Programs that run later start their own.
      delete process.env.TEST_DATABASE_URL
      return database.stop()
    })
  }
  if (radosgwAvailable() && !process.env.TEST_S3_ENDPOINT) {
    const s3 = await startRadosgw()
    made.defer(() => {
      delete process.env.TEST_S3_ENDPOINT
      return s3.stop()
    })
    process.env.TEST_S3_ENDPOINT = s3.endpoint
    process.env.TEST_S3_ACCESS_KEY_ID = s3.accessKeyId
    process.env.TEST_S3_SECRET_ACCESS_KEY = s3.secretAccessKey
  }
  await work()
}

async function testFiles(isWanted: (file: string, source: string) => boolean): Promise<string[]> {
  const files: string[] = []
  for await (const path of glob('{packages,apps,tools,scripts}/**/*.test.ts', {
    cwd: ROOT,
    exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path),
  })) {
    if (isWanted(path, await readFile(`${ROOT}${path}`, 'utf8'))) files.push(`${ROOT}${path}`)
  }
  return files.toSorted()
}

async function bench(): Promise<void> {
  await builtPortal()
  for (const { name: measured, error } of await smokeBenches())
    countOne(counts, `bench ${measured}${error === undefined ? '' : `: ${error}`}`, error === undefined)
}

/** Builds the portal once for all parts that need it. */
function builtPortal(): Promise<void> {
  return (building ??= buildPortal(console.log))
}

/** Checks the portal's budgets and tests its components. */
async function portal(): Promise<void> {
  await builtPortal()
  // First loads stay within the design's budgets.
  for (const { name: page, amount, budget, unit: of } of await measureBudgets()) {
    const isWithin = amount <= budget
    console.log(`${isWithin ? 'ok    ' : 'FAILED'} ${page}: ${amount} of ${budget} ${of}`)
    countOne(counts, `budget: ${page}`, isWithin)
  }
  addCounts(counts, await runComponents())
}

/** The commands of the README's section "In production". */
async function production(): Promise<void> {
  const title = `README "In production"`
  const obstacle = productionObstacle()
  if (obstacle === undefined) {
    await builtPortal()
    countOne(counts, title, await productionTest())
  } else counts.skipped.push(`${title}: ${obstacle}`)
}

/** Fills the demo of the next journeys, which remove it at their end. An error fails them. */
async function fillDemo(): Promise<void> {
  filling = makeSnapshot()
  await filling.catch(() => undefined)
}

async function journeys(): Promise<void> {
  const demo = filling ?? makeSnapshot()
  filling = undefined
  addCounts(counts, await runJourneys(demo))
}

function getMessage(error: unknown): string {
  if (error instanceof Error) console.error(error)
  return error instanceof Error ? error.message : String(error)
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(0)} s`
}
