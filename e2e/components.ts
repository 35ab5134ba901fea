import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeFolder } from '../apps/server/src/testing/daemon.ts'
import type { Counts } from '../scripts/counts.ts'
import { run } from '../scripts/run.ts'
import { testBrowser } from './chromium.ts'
import { countFaults, runPlaywright } from './run.ts'

const FOLDER = fileURLToPath(new URL('components/', import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
}

/** Tests portal components in a real browser. An error of the run itself counts as a failure. */
export async function runComponents(): Promise<Counts> {
  return await countFaults('components', runOnStage)
}

/** Builds the stage, a page that renders one component, and runs the tests on it. */
async function runOnStage(): Promise<Counts> {
  await using resources = new AsyncDisposableStack()
  const stage = await mkdtemp(join(tmpdir(), 'custodia-stage-'))
  resources.defer(() => removeFolder(stage))
  const build = ['run', '-s', '-w', '@custodia/web', 'stage', '--', '--outDir', stage]
  if ((await run('npm', build, { quiet: true })) !== 0)
    throw new Error(`the stage could not be built; run: npm ${build.join(' ')}`)
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://stage')
    // An address without a file extension is a scene.
    const file = extname(pathname) in TYPES ? pathname : '/index.html'
    try {
      const body = await readFile(join(stage, file))
      response.writeHead(200, { 'content-type': TYPES[extname(file)] }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  resources.defer(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const browser = await testBrowser()
  return await runPlaywright(FOLDER, {
    ...browser.env,
    BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    BROWSER_PATH: browser.executablePath,
    BROWSER_ARGUMENTS: JSON.stringify(browser.args),
  })
}
