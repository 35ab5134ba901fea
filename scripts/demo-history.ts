import { demoAccounts, getQuietPeople } from '@custodia/simulator'
import type { AppContext } from '../apps/server/src/app-context.ts'
import {
  seedDemoCommands,
  seedDemoExports,
  seedDemoProposal,
  seedDemoSilences,
} from '../apps/server/src/demo/commands.ts'
import { seedDemoMigrations } from '../apps/server/src/demo/migrations.ts'
import { seedDemoReviews, seedDemoWebhook } from '../apps/server/src/demo/reviews.ts'
import { seedDemoTransfers } from '../apps/server/src/demo/transfers.ts'
import { gatherStatistics } from '../apps/server/src/statistics/jobs.ts'
import type { DemoCustomer } from './demo-customer.ts'

/** Maximum seconds for the count. */
const GATHER_SECONDS = 60

/** Writes the history of a filled demo: events of the hours and days before its start. */
export async function seedDemoHistory(
  ctx: AppContext,
  { storage, hook }: Pick<DemoCustomer, 'storage' | 'hook'>,
  say: (step: string) => void,
): Promise<void> {
  await seedDemoCommands(ctx, 'acme')
  await seedDemoReviews(ctx, 'acme')
  await seedDemoExports(ctx, 'acme')
  await seedDemoProposal(ctx, 'acme')
  if (storage) await seedDemoTransfers(ctx, 'acme', storage)
  if (hook) await seedDemoWebhook(ctx, 'acme', hook)
  for (const account of await demoAccounts(ctx.config.dataDir))
    await seedDemoSilences(ctx, account.account_reference, getQuietPeople(account))
  await seedDemoMigrations(ctx, 'acme')
  // The provider's statistics would be empty until the next hour.
  await gatherStatistics(ctx, GATHER_SECONDS).catch((error: unknown) => say(`  Not counted yet: ${error}`))
}
