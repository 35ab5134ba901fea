import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'

export interface TestBrowser {
  executablePath: string
  args: string[]
  env: Record<string, string>
}

/** No external access and no kernel sandbox; audio may start without a user gesture. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--autoplay-policy=no-user-gesture-required',
]

/** A page of a test lives for seconds: V8's threads and its last stages of optimisation cost more than they save. */
export const SHORT_LIVED = '--js-flags=--single-threaded --no-opt --no-maglev'

/**
 * Chooses the Chromium of the tests: `CHROMIUM_PATH`, else the npm package with its libraries. Its default arguments
 * are never used: they turn web security off.
 */
export async function testBrowser(): Promise<TestBrowser> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  if (process.env.CHROMIUM_PATH) return { executablePath: process.env.CHROMIUM_PATH, args: ARGUMENTS, env }
  const executablePath = await chromium.executablePath()
  const packed = join(
    dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))),
    '..',
    'bin',
    'al2023.tar.br',
  )
  await inflate(packed)
  // The package's own list of font folders names /tmp: with another temporary folder, Chromium finds no font and stops.
  const fonts = join(tmpdir(), 'fonts')
  await writeFile(
    join(fonts, 'fonts.conf'),
    `<fontconfig><dir>${fonts}</dir><cachedir>${fonts}-cache</cachedir></fontconfig>\n`,
  )
  return {
    executablePath,
    args: [...ARGUMENTS],
    env: { ...env, LD_LIBRARY_PATH: join(tmpdir(), 'al2023', 'lib'), FONTCONFIG_PATH: fonts },
  }
}
