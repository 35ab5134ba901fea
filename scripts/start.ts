// `npm start`: builds the portal when needed, runs the server and, on the first start, fills the demo through the
// phones' own protocol.
import { quietPeopleOf } from '@custodia/simulator'
import { readConfig } from '../apps/server/src/config.ts'
import { seedDemoCommands } from '../apps/server/src/demo/commands.ts'
import { seedDemoExports } from '../apps/server/src/demo/exports.ts'
import { seedDemoMigrations } from '../apps/server/src/demo/migrations.ts'
import { seedDemoProposal } from '../apps/server/src/demo/proposals.ts'
import { seedDemoReviews } from '../apps/server/src/demo/reviews.ts'
import { seedDemoSilences } from '../apps/server/src/demo/silences.ts'
import { seedDemoTransfers } from '../apps/server/src/demo/transfers.ts'
import { seedDemoWebhook } from '../apps/server/src/demo/webhooks.ts'
import { main } from '../apps/server/src/main.ts'
import { gatherStatistics } from '../apps/server/src/statistics/gather.ts'
import { startDemoCustomer } from './demo-customer.ts'
import { fillDemoOnce, readDemoAccounts } from './fill-demo.ts'
import { buildPortal } from './build-portal.ts'
import { liveDemo } from './live-demo.ts'
import { banner } from './banner.ts'

/** Seconds that counting the demo may take. */
const GATHER_SECONDS = 60

const say = (step: string) => console.error(step)
const argv = process.argv.slice(2)
process.env.LOG_LEVEL ??= 'warn'
await buildPortal(say)
const customer = await startDemoCustomer(argv, say)
const { house, address } = await main(argv, say)
const config = readConfig(process.env, argv)
if (config.services.includes('api')) {
  console.error(banner(config, address, customer))
  if (config.demo) {
    const isFilledNow = await fillDemoOnce(config, address, say)
    // Whoever stops the demo meanwhile takes the database from under it.
    if (isFilledNow)
      await lookBack().catch((error: unknown) => say(`  Not all of its past is there: ${error}`))
    liveDemo(config, address, { isFilledNow, say })
  }
}

/** What took days or hours before the demo began. */
async function lookBack(): Promise<void> {
  await seedDemoCommands(house, 'acme')
  await seedDemoReviews(house, 'acme')
  await seedDemoExports(house, 'acme')
  await seedDemoProposal(house, 'acme')
  if (customer.storage) await seedDemoTransfers(house, 'acme', customer.storage)
  if (customer.hook) await seedDemoWebhook(house, 'acme', customer.hook)
  for (const account of await readDemoAccounts(config))
    await seedDemoSilences(house, account.account_reference, quietPeopleOf(account))
  await seedDemoMigrations(house, 'acme')
  // The provider's figures would show an empty demo until the next hour.
  await gatherStatistics(house, GATHER_SECONDS).catch((error: unknown) => say(`  Not counted yet: ${error}`))
}
