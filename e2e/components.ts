import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Counts } from '../scripts/counts.ts'
import { run } from '../scripts/run.ts'
import { testBrowser } from './chromium.ts'
import { playJourneys } from './run.ts'

const FOLDER = fileURLToPath(new URL('components/', import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
}

/** Builds the stage, on which components of the portal stand alone, and plays their tests in a real browser. */
export async function runComponents(): Promise<Counts> {
  const output = await mkdtemp(join(tmpdir(), 'custodia-components-'))
  const stage = join(output, 'stage')
  const build = ['run', '-s', '-w', '@custodia/web', 'stage', '--', '--outDir', stage]
  if ((await run('npm', build, { quiet: true })) !== 0)
    throw new Error(`the stage could not be built; run: npm ${build.join(' ')}`)
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://stage')
    // Every address that is no file is a scene.
    const file = extname(pathname) in TYPES ? pathname : '/index.html'
    try {
      const body = await readFile(join(stage, file))
      response.writeHead(200, { 'content-type': TYPES[extname(file)] }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const browser = await testBrowser()
    return await playJourneys(FOLDER, {
      ...browser.env,
      BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      BROWSER_PATH: browser.executablePath,
      BROWSER_ARGUMENTS: JSON.stringify(browser.args),
      OUTPUT: output,
    })
  } finally {
    server.close()
    await rm(output, { recursive: true, force: true })
  }
}
