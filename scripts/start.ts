// `npm start`: builds the portal when needed, runs the server and, on the first start, fills the demo through the
// phones' own protocol.
import { readConfig } from '../apps/server/src/config.ts'
import { seedDemoCommands } from '../apps/server/src/demo/commands.ts'
import { main } from '../apps/server/src/main.ts'
import { gatherStatistics } from '../apps/server/src/statistics/gather.ts'
import { fillDemoOnce } from './fill-demo.ts'
import { buildPortal } from './build-portal.ts'
import { banner } from './banner.ts'

/** Seconds that counting the demo may take. */
const GATHER_SECONDS = 60

const say = (step: string) => console.error(step)
const argv = process.argv.slice(2)
process.env.LOG_LEVEL ??= 'warn'
await buildPortal(say)
const { house, address } = await main(argv, say)
const config = readConfig(process.env, argv)
if (config.services.includes('api')) {
  console.error(banner(config, address))
  if (config.demo && (await fillDemoOnce(config, address, say))) {
    await seedDemoCommands(house, 'acme')
    // The provider's figures would show an empty demo until the next hour.
    await gatherStatistics(house, GATHER_SECONDS).catch((error: unknown) =>
      say(`  Not counted yet: ${error}`),
    )
  }
}
