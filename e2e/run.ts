import { spawn } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeFolder } from '../apps/server/src/testing/daemon.ts'
import { countFailure, countJourneys, noCounts } from '../scripts/counts.ts'
import type { Counts, JourneyReport } from '../scripts/counts.ts'
import { testBrowser } from './chromium.ts'
import { makeSnapshot, type Snapshot } from './snapshot.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const DAY_MS = 86_400_000

/**
 * Runs the journeys in a real browser, each file on a copy of the filled demo. An error of the run itself counts as a
 * failure.
 * @param filling the filled demo
 * @param files parts of test file paths; none: all
 */
export async function runJourneys(
  filling: Promise<Snapshot & AsyncDisposable>,
  ...files: string[]
): Promise<Counts> {
  return await countFaults('journeys', async () => {
    await using snapshot = await filling
    return await runOnSnapshot(snapshot, files)
  })
}

/** Runs one part; a thrown error counts as a failure. */
export async function countFaults(part: string, run: () => Promise<Counts>): Promise<Counts> {
  try {
    return await run()
  } catch (error) {
    const counts = noCounts()
    countFailure(counts, `${part}: ${error instanceof Error ? error.message : String(error)}`)
    return counts
  }
}

async function runOnSnapshot(snapshot: Snapshot, files: readonly string[]): Promise<Counts> {
  const browser = await testBrowser()
  return await runPlaywright(
    FOLDER,
    {
      ...browser.env,
      ...snapshot.settings,
      DEMO_SNAPSHOT: JSON.stringify(snapshot),
      MAILS: snapshot.mails ?? '',
      BROWSER_PATH: browser.executablePath,
      BROWSER_ARGUMENTS: JSON.stringify(browser.args),
      // Fixed for the run: midnight must not change the languages.
      JOURNEY_DAY: process.env.JOURNEY_DAY ?? String(Math.floor(Date.now() / DAY_MS)),
    },
    files,
  )
}

/** Runs Playwright on the configuration in `folder`. */
export async function runPlaywright(
  folder: string,
  env: Record<string, string>,
  files: readonly string[] = [],
): Promise<Counts> {
  const output = await mkdtemp(join(tmpdir(), 'custodia-playwright-'))
  const report = join(output, 'report.json')
  try {
    const exitCode = await playwright(folder, files, {
      ...env,
      // Node reads TypeScript itself; Playwright would translate every module first.
      PW_DISABLE_TS_ESM: '1',
      OUTPUT: output,
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
    })
    return countJourneys(await readReport(report), exitCode)
  } finally {
    await removeFolder(output)
  }
}

async function readReport(path: string): Promise<JourneyReport | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as JourneyReport
  } catch {
    return undefined
  }
}

function playwright(cwd: string, files: readonly string[], env: Record<string, string>): Promise<number> {
  const child = spawn('playwright', ['test', ...files], { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

/** Keeps a filled demo until the process is interrupted, for use by several runs. */
async function keepDemo(): Promise<void> {
  await using snapshot = await makeSnapshot()
  console.log(`export DEMO_SNAPSHOT='${JSON.stringify(snapshot)}'`)
  await new Promise<void>((resolve) => void process.once('SIGINT', resolve).once('SIGTERM', resolve))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2)
  if (args[0] === '--keep-demo') await keepDemo()
  else {
    // `--keep-demo` keeps a filled demo for several runs.
    const kept = process.env.DEMO_SNAPSHOT
    const { passed, failed, failures } = kept
      ? await countFaults('journeys', () => runOnSnapshot(JSON.parse(kept) as Snapshot, args))
      : await runJourneys(makeSnapshot(), ...args)
    for (const name of failures) console.log(`FAILED ${name}`)
    console.log(`${passed} passed, ${failed} failed`)
    process.exitCode = failed > 0 ? 1 : 0
  }
}
