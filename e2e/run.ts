import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { countJourneys } from '../scripts/counts.ts'
import type { Counts, JourneyReport } from '../scripts/counts.ts'
import { type TestBrowser, testBrowser } from './chromium.ts'
import { startServer } from './server.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/**
 * Journeys by the beginning of their files' names, halves of about the same length: each meets a demo of its own, and finds in it what those before it in
 * the alphabet left.
 */
const HALVES = ['journeys/[a-r]', 'journeys/[^a-r]']

/** Runs every journey against the real server in a real browser; resolves to what passed and failed of each half. */
export async function runJourneys(): Promise<Counts[]> {
  const browser = await testBrowser()
  return await Promise.all(HALVES.map((files) => runHalf(files, browser)))
}

/** Runs one file of journeys, named as a failure in it is, on a demo of its own. */
export async function playAlone(file: string): Promise<Counts> {
  return await runHalf(`journeys/${file}$`, await testBrowser())
}

async function runHalf(files: string, browser: TestBrowser): Promise<Counts> {
  const server = await startServer()
  const output = await mkdtemp(join(tmpdir(), 'custodia-journeys-'))
  try {
    return await playJourneys(
      FOLDER,
      {
        ...browser.env,
        BASE_URL: server.url,
        DATA_DIR: server.dataDir,
        BROWSER_PATH: browser.executablePath,
        BROWSER_ARGUMENTS: JSON.stringify(browser.args),
        OUTPUT: output,
      },
      files,
    )
  } finally {
    await server.stop()
    await rm(output, { recursive: true, force: true })
  }
}

/**
 * Runs Playwright on the configuration in `folder`; its report goes to the folder that `env.OUTPUT` names.
 *
 * @param files a regular expression for the paths of test files; absent: all
 */
export async function playJourneys(
  folder: string,
  env: Record<string, string> & { OUTPUT: string },
  ...files: string[]
): Promise<Counts> {
  const report = join(env.OUTPUT, 'report.json')
  const exitCode = await playwright(folder, files, { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report })
  return countJourneys(await reportIn(report), exitCode)
}

async function reportIn(path: string): Promise<JourneyReport | undefined> {
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
