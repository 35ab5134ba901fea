import { DAY, TEMPORARY_ACCESS_WARNING_DAYS } from '@custodia/contract'
import { findEndingAccess } from '../access/assignment-store.ts'
import { type AlertIdentity, raiseAlert, settleAlert } from '../alerts/raise.ts'
import { listClients } from '../clients/store.ts'
import { periodicJob } from '../jobs/kind.ts'
import { purgeItems } from '../ports/identity/items.ts'
import { forgetProviderTokens } from './store.ts'

/** Removes expired data of the embedded provider, and provider tokens of sessions that ended long ago. */
export const purgeSessions = periodicJob({
  name: 'sessions.purge',
  every: 600,
  async run(ctx) {
    const now = ctx.now()
    await purgeItems(ctx.db, now)
    await forgetProviderTokens(ctx.db, now)
  },
})

/** The alert about temporary access that ends soon. */
export const temporaryAccessAlert = (user_reference: string, now: number): AlertIdentity => ({
  alert_scopes: ['sec'],
  alert_key: `temporary access ${user_reference}`,
  now,
})

/** Raises a daily alert for temporary access that ends within days, and clears it once the access has ended. */
export const watchTemporaryAccess = periodicJob({
  name: 'sessions.watch-temporary-access',
  every: DAY,
  async run({ db, now: clock }) {
    const now = clock()
    const soon = { from: now - 30 * DAY, to: now + TEMPORARY_ACCESS_WARNING_DAYS * DAY }
    for (const { client_id } of await listClients(db))
      await db.write(client_id, async (tx) => {
        for (const { user_reference: user, ends_at } of await findEndingAccess(tx, soon)) {
          const alert = temporaryAccessAlert(user, now)
          if (ends_at <= now) await settleAlert(tx, alert)
          else
            await raiseAlert(tx, {
              ...alert,
              text: 'temporary_access_ends',
              values: { user, until: new Date(ends_at * 1000).toISOString().slice(0, 16).replace('T', ' ') },
              alert_type: 'AccountAlert',
              alert_severity: 'Low',
            })
        }
      })
  },
})
