import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testBrowser } from './chromium.ts'
import { startServer } from './server.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

interface Suite {
  title: string
  suites?: Suite[]
  specs?: { title: string; tests: { status: 'expected' | 'unexpected' | 'flaky' | 'skipped' }[] }[]
}

/** Runs every journey against the real server in a real browser; resolves to what passed and failed. */
export async function runJourneys(): Promise<{
  passed: number
  failed: number
  skipped: string[]
  failures: string[]
}> {
  const server = await startServer()
  const output = await mkdtemp(join(tmpdir(), 'custodia-journeys-'))
  try {
    const browser = await testBrowser()
    const report = join(output, 'report.json')
    await playwright({
      ...browser.env,
      BASE_URL: server.url,
      BROWSER_PATH: browser.executablePath,
      BROWSER_ARGUMENTS: JSON.stringify(browser.args),
      OUTPUT: output,
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
    })
    const { suites } = JSON.parse(await readFile(report, 'utf8')) as { suites: Suite[] }
    return countOf(suites)
  } finally {
    await server.stop()
    await rm(output, { recursive: true, force: true })
  }
}

function playwright(env: Record<string, string>): Promise<void> {
  const child = spawn('playwright', ['test'], { cwd: FOLDER, env, stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => resolve())
  })
}

function countOf(suites: readonly Suite[]) {
  const result = { passed: 0, failed: 0, skipped: [] as string[], failures: [] as string[] }
  const visit = (suite: Suite, path: string) => {
    for (const spec of suite.specs ?? []) {
      const name = `${path} › ${spec.title}`
      for (const test of spec.tests) {
        if (test.status === 'skipped') result.skipped.push(name)
        else if (test.status === 'unexpected') {
          result.failed++
          result.failures.push(name)
        } else result.passed++
      }
    }
    for (const inner of suite.suites ?? []) visit(inner, `${path} › ${inner.title}`)
  }
  for (const suite of suites) visit(suite, suite.title)
  return result
}
