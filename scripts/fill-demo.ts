import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { demoAccounts, type DemoReport, fillDemo } from '@custodia/simulator'
import type { Config } from '../apps/server/src/config.ts'
import { demoFolder } from '../apps/server/src/demo/seed.ts'

/** Printed when the demo is ready; the browser tests wait for it. */
export const FILLED = 'The demo is filled'
/** Payloads between progress lines. */
const STEP = 25

/** Simulated devices record, seal and upload, once per data folder. Resumes an interrupted fill. Resolves to undefined if it was filled already. */
export async function fillDemoOnce(
  config: Config,
  serverUrl: string,
  say: (step: string) => void,
): Promise<DemoReport | undefined> {
  const folder = demoFolder(config.dataDir)
  const done = join(folder, 'filled')
  if (existsSync(done)) return undefined
  say('  Filling the demo: pretend phones record, seal and upload. The portal works meanwhile.')
  const enrolments = await demoAccounts(config.dataDir)
  const report = await fillDemo({
    serverUrl,
    enrolments,
    now: Math.floor(Date.now() / 1000),
    phonesFolder: join(folder, 'phones'),
    onProgress: (count, total) => {
      if (count % STEP === 0 && count < total) say(`  ${count} of ${total} payloads`)
    },
  })
  await writeFile(done, new Date().toISOString())
  say(
    `  ${FILLED}: ${report.processed} of ${report.total} payloads processed, ${report.refused} refused as they should be.`,
  )
  return report
}
