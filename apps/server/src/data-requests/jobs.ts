import { REQUEST_WARNING_DAYS } from '@custodia/contract'
import * as z from 'zod/mini'
import { type AlertEvent, raiseAlert } from '../alerts/raise.ts'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import { findDue, readTime } from './store.ts'

/** The alert of one open request. */
export const alertOf = (
  data_request_id: string,
  now: number,
): Pick<AlertEvent, 'alert_scopes' | 'alert_targets' | 'alert_key' | 'now'> => ({
  alert_scopes: ['ops'],
  alert_targets: ['client'],
  alert_key: `data_request ${data_request_id}`,
  now,
})

const DAY = 86_400

/** Raises a daily alert for each open request near or past its due date, without the subject. */
export const watchDataRequests = jobKind({
  name: 'data_requests.watch',
  input: z.object({}),
  every: DAY,
  async run(ctx) {
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, async (tx) => {
        const now = await readTime(tx)
        for (const data_request_id of await findDue(tx, REQUEST_WARNING_DAYS * DAY))
          await raiseAlert(tx, {
            ...alertOf(data_request_id, now),
            text: 'data_request_due',
            alert_type: 'AccountAlert',
            alert_key_type: 'Scoped',
            alert_severity: 'Medium',
            values: { days: String(REQUEST_WARNING_DAYS) },
            related_entities: [{ entity_id: data_request_id, entity_type: 'DataRequest' }],
          })
      })
  },
})
