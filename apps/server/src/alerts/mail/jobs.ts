import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { forgetChecks } from './check-store.ts'
import { mailCodes } from './codes.ts'
import { deliverMails } from './deliver.ts'
import { forgetSubscriptions } from './store.ts'

/** Mails alerts, tests and codes. */
export const sendMails = jobKind({
  name: 'alerts.mails',
  input: z.object({}),
  every: 5,
  async run(house, _input, signal) {
    await mailCodes(house, signal)
    await deliverMails(house, signal)
  },
})

const DAY = 86_400
/** Days without a sign-in after which a subscription is forgotten, with its address. */
const FORGOTTEN_AFTER = 90

/** Forgets addresses that were given yesterday, and subscriptions of people who have left. */
export const purgeMails = jobKind({
  name: 'alerts.mails.purge',
  input: z.object({}),
  every: 3600,
  async run(house) {
    const now = house.now()
    for (const { client_id } of await listClients(house.db))
      await house.db.write(client_id, async (tx) => {
        await forgetChecks(tx, now - DAY)
        await forgetSubscriptions(tx, now - FORGOTTEN_AFTER * DAY)
      })
  },
})
