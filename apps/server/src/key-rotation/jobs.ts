import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { jobKind } from '../jobs/kind.ts'

/** Seconds after which the keys of an epoch are sealed under another. */
const EPOCH = 6 * 86_400
/** Milliseconds until every process sees a write of another: shared file systems cache reads for up to a minute. */
const SETTLE = 75_000

/**
 * Starts a new key version of the key slots, so that no one can recover erased keys; continues an interrupted run.
 */
export const rollKeys = jobKind({
  name: 'keys.roll',
  input: z.object({}),
  every: 3600,
  retries: 1,
  async run({ keys, log, now }, _input, signal) {
    const made = await keys.keyVersionsMadeAt()
    const oldest = made[0]
    if (oldest === undefined || (made.length === 1 && now() - oldest < EPOCH)) return
    const rolled = await keys.roll(() => pause(SETTLE, undefined, { signal }))
    log.info(rolled, 'the keys were sealed under a new epoch')
  },
})
