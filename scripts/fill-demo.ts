import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../apps/server/src/config.ts'
import { demoFolder } from '../apps/server/src/demo/seed.ts'
import { type DemoAccount, fillDemo } from '@custodia/simulator'

/** Lets the pretend phones record, seal and upload, once per data folder. A fill that was cut short starts again. */
export async function fillDemoOnce(
  config: Config,
  serverUrl: string,
  say: (step: string) => void,
): Promise<void> {
  const folder = demoFolder(config.dataDir)
  const done = join(folder, 'filled')
  if (existsSync(done)) return
  say('  Filling the demo: pretend phones record, seal and upload (the portal works meanwhile) …')
  const accounts = JSON.parse(await readFile(join(folder, 'enrolments.json'), 'utf8')) as DemoAccount[]
  await fillDemo({ serverUrl, accounts, folder, say })
  await writeFile(done, new Date().toISOString())
  say('  The demo is filled.')
}
