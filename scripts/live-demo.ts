import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { demoAccounts, liveAll } from '@custodia/simulator'
import type { AppContext } from '../apps/server/src/app-context.ts'
import type { Config } from '../apps/server/src/config.ts'
import { seedLargeDemo } from '../apps/server/src/demo/large/seed.ts'
import { demoFolder } from '../apps/server/src/demo/seed.ts'

/** Milliseconds between steps of the demo's simulation. */
const EVERY_MS = 3_600_000

/** Continues the simulation of the demo's people every hour; a previously filled demo catches up at start. */
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
  // Does not keep the server alive.
  setInterval(() => void live(), EVERY_MS).unref()
}

async function liveOnce(config: Config, serverUrl: string): Promise<void> {
  const folder = demoFolder(config.dataDir)
  const filled = Date.parse(await readFile(join(folder, 'filled'), 'utf8')) / 1000
  await liveAll({
    serverUrl,
    enrolments: await demoAccounts(config.dataDir),
    phonesFolder: join(folder, 'phones'),
    from: Math.floor(filled),
    until: Math.floor(Date.now() / 1000),
  })
}

/** Adds the large demo; its devices stay in contact as long as this process runs. */
export async function startLargeDemo(ctx: AppContext, say: (step: string) => void): Promise<void> {
  const seed = () => seedLargeDemo(ctx, 'acme', say)
  await seed()
  const again = () =>
    seed().catch((error: unknown) => say(`  The devices were not seen this hour: ${String(error)}`))
  setInterval(() => void again(), EVERY_MS).unref()
}
