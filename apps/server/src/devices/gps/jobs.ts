import * as z from 'zod/mini'
import { jobKind } from '../../jobs/kind.ts'
import { dropEmptyMonths, makeMonths } from '../../ports/database/partitions.ts'
import { GPS_TABLE } from './point-store.ts'

/** Seconds after its end from which on the partition of a month may go once it is empty. */
const KEPT_EMPTY = 31 * 86_400

/** Makes the partitions of positions before they are needed, and drops those that hold nothing any more. */
export const keepGpsMonths = jobKind({
  name: 'gps.partitions',
  input: z.object({}),
  every: 86_400,
  async run({ db, now }, _input, signal) {
    await makeMonths(db, GPS_TABLE, now(), signal)
    await dropEmptyMonths(db, GPS_TABLE, now() - KEPT_EMPTY, signal)
  },
})
