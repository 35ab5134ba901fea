import * as z from 'zod/mini'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import { clientsWithDue } from '../alerts/delivery-store.ts'
import { clientsWithDueCodes, forgetChecks } from './check-store.ts'
import { mailCodes } from './codes.ts'
import { deliverMails } from './deliver.ts'
import { forgetSubscriptions } from './store.ts'

/** Mails a client's due codes, alerts and tests. Codes do not wait behind alerts. */
export const sendMailsOfClient = jobKind({
  name: 'alerts.mails-of-client',
  input: z.object({ client_id: z.int(), what: z.enum(['codes', 'alerts']) }),
  key: ({ what }) => what,
  fair: {
    lanes: { mails: { batch: 1, workers: 16, per_client: 2, resumes: true } },
    client: ({ client_id }) => client_id,
    place: () => ({ lane: 'mails', cost: 1 }),
    is_swept: true,
  },
  run: (ctx, { client_id, what }, signal) =>
    what === 'codes' ? mailCodes(ctx, client_id, signal) : deliverMails(ctx, client_id, signal),
})

/** Has alerts, tests and codes mailed. */
export const sendMails = jobKind({
  name: 'alerts.mails',
  input: z.object({}),
  every: 5,
  async run(ctx) {
    if (!ctx.mail) return
    const now = ctx.now()
    const codes = await clientsWithDueCodes(ctx.db, now)
    const alerts = (await clientsWithDue(ctx.db, now)).map(({ client_id }) => client_id)
    await ctx.db.globalWrite((tx) =>
      ctx.jobs.send(
        tx,
        sendMailsOfClient,
        ...codes.map((client_id) => ({ client_id, what: 'codes' as const })),
        ...alerts.map((client_id) => ({ client_id, what: 'alerts' as const })),
      ),
    )
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
  async run(ctx) {
    const now = ctx.now()
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, async (tx) => {
        await forgetChecks(tx, now - DAY)
        await forgetSubscriptions(tx, now - FORGOTTEN_AFTER * DAY)
      })
  },
})
