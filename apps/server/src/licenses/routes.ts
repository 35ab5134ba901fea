import type { Licenses } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { countClients, getCustomer, type ListedClient, pageOfClients } from '../clients/store.ts'
import type { Handlers } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { pageByName } from '../http/page.ts'
import { lockLimits, readLimits, readUse, writeLimits } from './store.ts'

/** License routes of the client and, for all customers, of the provider. */
export const licenseRoutes = (
  ctx: AppContext,
): Handlers<'readLicenses' | 'listLicenses' | 'saveLicenses'> => ({
  readLicenses: ({ caller }) => getLicenses(ctx, caller),

  async listLicenses(_context, { query }) {
    const filter = { search: query.search ?? '', with_provider: false }
    if (query.type === 'total') return { total: await countClients(ctx.db, filter) }
    const { data, ...rest } = await pageByName(
      ctx.cursors,
      { name: 'licenses', client_id: 'all', query },
      (after, limit) => pageOfClients(ctx.db, filter, after, limit),
      ({ client }) => client,
    )
    const licenses: Licenses[] = []
    // Sequential, so that one page does not occupy all connections.
    for (const client of data) licenses.push(await getLicenses(ctx, client))
    return { ...rest, data: licenses }
  },

  async saveLicenses(context, { params, body }) {
    const client = await getCustomer(ctx, params.client)
    const change = { now: context.now, by: context.caller.user_reference }
    await context.writeFor(client.client_id, async (tx) => {
      assertUnchanged(context, (await lockLimits(tx)).version)
      await writeLimits(tx, body.limits, change)
    })
    return getLicenses(ctx, client)
  },
})

function getLicenses(
  { db }: AppContext,
  { client_id, client, client_name }: ListedClient,
): Promise<Licenses> {
  return db.read(client_id, async (q) => {
    const used = await readUse(q)
    return { client, client_name, ...(await readLimits(q)), used }
  })
}
