import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { liveAll } from '@custodia/simulator'
import type { Config } from '../apps/server/src/config.ts'
import { demoFolder } from '../apps/server/src/demo/seed.ts'
import { readDemoAccounts } from './fill-demo.ts'

/** Milliseconds between two looks at what the people of the demo do. */
const EVERY_MS = 3_600_000

/**
 * Lets the people of the demo go on with their lives, once an hour; of a demo that was filled before, at once with what happened since the
 * server ran last.
 */
export function liveDemo(
  config: Config,
  serverUrl: string,
  { isFilledNow, say }: { isFilledNow: boolean; say: (step: string) => void },
): void {
  const live = async () => {
    try {
      await liveOnce(config, serverUrl)
    } catch (error) {
      say(`  The people of the demo will go on in an hour: ${String(error)}`)
    }
  }
  if (!isFilledNow) void live()
  // The server does not stay for them.
  setInterval(() => void live(), EVERY_MS).unref()
}

async function liveOnce(config: Config, serverUrl: string): Promise<void> {
  const folder = demoFolder(config.dataDir)
  const filled = Date.parse(await readFile(join(folder, 'filled'), 'utf8')) / 1000
  await liveAll({
    serverUrl,
    enrolments: await readDemoAccounts(config),
    phonesFolder: join(folder, 'phones'),
    from: Math.floor(filled),
    until: Math.floor(Date.now() / 1000),
  })
}
