import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { dropEmptyMonths, makeMonths } from '../../ports/database/partitions.ts'
import { forgetAlerts, REPORT_KINDS } from './store.ts'

/** Seconds for which alert ids detect repeats. */
const ALERTS_KEPT = 30 * 86_400
/** Seconds that an empty monthly partition is kept after its end. */
const EMPTY_KEPT = 31 * 86_400

/** Creates partitions of device reports in advance, drops old empty ones and deletes ids of old alerts. */
export const keepReports = jobKind({
  name: 'device-reports.partitions',
  input: z.object({}),
  every: 86_400,
  async run({ db, now }, _input, signal) {
    for (const { list } of REPORT_KINDS) {
      await makeMonths(db, list, now(), signal)
      await dropEmptyMonths(db, list, now() - EMPTY_KEPT, signal)
    }
    for (const { client_id } of await listClients(db))
      await db.write(client_id, (tx) => forgetAlerts(tx, now() - ALERTS_KEPT))
  },
})
