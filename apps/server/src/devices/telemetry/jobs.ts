import * as z from 'zod/mini'
import { jobKind } from '../../jobs/kind.ts'
import { dropEmptyMonths, makeMonths } from '../../ports/database/partitions.ts'
import { TELEMETRY_TABLE } from './telemetry-store.ts'

/** Seconds after its end from which on the partition of a month may go once it is empty. */
const KEPT_EMPTY = 31 * 86_400

/** Makes the partitions of telemetry before they are needed, and drops those that hold nothing any more. */
export const keepTelemetry = jobKind({
  name: 'telemetry.partitions',
  input: z.object({}),
  every: 86_400,
  async run(ctx, _input, signal) {
    const now = ctx.now()
    await makeMonths(ctx.db, TELEMETRY_TABLE, now, signal)
    await dropEmptyMonths(ctx.db, TELEMETRY_TABLE, now - KEPT_EMPTY, signal)
  },
})
