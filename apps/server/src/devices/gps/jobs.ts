import * as z from 'zod/mini'
import { jobKind } from '../../jobs/kind.ts'
import { dropEmptyMonths, makeMonths } from '../../ports/database/partitions.ts'
import { GPS_TABLE } from './point-store.ts'

/** Seconds that an empty monthly partition is kept after its end. */
const KEPT_EMPTY = 31 * 86_400

/** Creates partitions of positions in advance and drops old empty ones. */
export const keepGpsMonths = jobKind({
  name: 'gps.partitions',
  input: z.object({}),
  every: 86_400,
  async run({ db, now }, _input, signal) {
    await makeMonths(db, GPS_TABLE, now(), signal)
    await dropEmptyMonths(db, GPS_TABLE, now() - KEPT_EMPTY, signal)
  },
})
