import * as z from 'zod/mini'
import { jobKind } from '../../jobs/kind.ts'
import { dropEmptyMonths, makeMonths } from '../../ports/database/partitions.ts'
import { TELEMETRY_TABLE } from './telemetry-store.ts'

/** Seconds that an empty monthly partition is kept after its end. */
const KEPT_EMPTY = 31 * 86_400

/** Creates partitions of telemetry in advance and drops old empty ones. */
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
