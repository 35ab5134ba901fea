import { TEMPORARY_ACCESS_WARNING_DAYS } from '@custodia/contract'
import * as z from 'zod/mini'
import { findEndingAccess } from '../access/assignment-store.ts'
import { type AlertEvent, raiseAlert, settleAlert } from '../alerts/raise.ts'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import { purgeItems } from '../ports/identity/items.ts'
import { forgetProviderTokens } from './store.ts'

/** Removes expired data of the embedded provider, and provider tokens of sessions that ended long ago. */
export const purgeSessions = jobKind({
  name: 'sessions.purge',
  input: z.object({}),
  every: 600,
  async run(ctx) {
    const now = ctx.now()
    await purgeItems(ctx.db, now)
    await forgetProviderTokens(ctx.db, now)
  },
})

const DAY = 86_400

/** The alert about temporary access that ends soon. */
export const temporaryAccessAlert = (
  user_reference: string,
  now: number,
): Pick<AlertEvent, 'alert_scopes' | 'alert_targets' | 'alert_key' | 'now'> => ({
  alert_scopes: ['sec'],
  alert_targets: ['client'],
  alert_key: `temporary access ${user_reference}`,
  now,
})

/** Raises a daily alert for temporary access that ends within days, and clears it once the access has ended. */
export const watchTemporaryAccess = jobKind({
  name: 'sessions.watch-temporary-access',
  input: z.object({}),
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
              alert_key_type: 'Scoped',
              alert_severity: 'Low',
            })
        }
      })
  },
})
