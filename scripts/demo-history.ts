import { quietPeopleOf } from '@custodia/simulator'
import { seedDemoCommands } from '../apps/server/src/demo/commands.ts'
import { seedDemoExports } from '../apps/server/src/demo/exports.ts'
import { seedDemoMigrations } from '../apps/server/src/demo/migrations.ts'
import { seedDemoProposal } from '../apps/server/src/demo/proposals.ts'
import { seedDemoReviews } from '../apps/server/src/demo/reviews.ts'
import { seedDemoSilences } from '../apps/server/src/demo/silences.ts'
import { seedDemoTransfers } from '../apps/server/src/demo/transfers.ts'
import { seedDemoWebhook } from '../apps/server/src/demo/webhooks.ts'
import type { House } from '../apps/server/src/house.ts'
import { gatherStatistics } from '../apps/server/src/statistics/gather.ts'
import type { DemoCustomer } from './demo-customer.ts'
import { readDemoAccounts } from './fill-demo.ts'

/** Seconds that counting the demo may take. */
const GATHER_SECONDS = 60

/** Writes the history of a filled demo: what took hours or days before it began. */
export async function seedDemoHistory(
  house: House,
  { storage, hook }: Pick<DemoCustomer, 'storage' | 'hook'>,
  say: (step: string) => void,
): Promise<void> {
  await seedDemoCommands(house, 'acme')
  await seedDemoReviews(house, 'acme')
  await seedDemoExports(house, 'acme')
  await seedDemoProposal(house, 'acme')
  if (storage) await seedDemoTransfers(house, 'acme', storage)
  if (hook) await seedDemoWebhook(house, 'acme', hook)
  for (const account of await readDemoAccounts(house.config))
    await seedDemoSilences(house, account.account_reference, quietPeopleOf(account))
  await seedDemoMigrations(house, 'acme')
  // The provider's statistics would show an empty demo until the next hour.
  await gatherStatistics(house, GATHER_SECONDS).catch((error: unknown) => say(`  Not counted yet: ${error}`))
}
