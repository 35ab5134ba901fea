import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { countJourneys } from '../scripts/counts.ts'
import type { Counts, JourneyReport } from '../scripts/counts.ts'
import { testBrowser } from './chromium.ts'
import { startServer } from './server.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** Runs every journey against the real server in a real browser; resolves to what passed and failed. */
export async function runJourneys(): Promise<Counts> {
  const server = await startServer()
  const output = await mkdtemp(join(tmpdir(), 'custodia-journeys-'))
  try {
    const browser = await testBrowser()
    return await playJourneys(FOLDER, {
      ...browser.env,
      BASE_URL: server.url,
      DATA_DIR: server.dataDir,
      BROWSER_PATH: browser.executablePath,
      BROWSER_ARGUMENTS: JSON.stringify(browser.args),
      OUTPUT: output,
    })
  } finally {
    await server.stop()
    await rm(output, { recursive: true, force: true })
  }
}

/** Runs Playwright on the configuration in `folder`; its report goes to the folder that `env.OUTPUT` names. */
export async function playJourneys(
  folder: string,
  env: Record<string, string> & { OUTPUT: string },
): Promise<Counts> {
  const report = join(env.OUTPUT, 'report.json')
  const exitCode = await playwright(folder, { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report })
  return countJourneys(await reportIn(report), exitCode)
}

async function reportIn(path: string): Promise<JourneyReport | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as JourneyReport
  } catch {
    return undefined
  }
}

function playwright(cwd: string, env: Record<string, string>): Promise<number> {
  const child = spawn('playwright', ['test'], { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
