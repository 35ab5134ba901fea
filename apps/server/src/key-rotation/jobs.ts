import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { jobKind } from '../jobs/kind.ts'

/** Seconds after which the keys of an epoch are sealed under another. */
const EPOCH = 6 * 86_400
/** Milliseconds in which every process sees what another has written: file systems of several machines keep what they read for up to a minute. */
const SETTLE = 75_000

/** Rolls the epoch of the keystore, so that what was forgotten is beyond everybody; goes on where another process broke off. */
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
