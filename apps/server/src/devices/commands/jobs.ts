import { COMMAND_ANSWER_DAYS } from '@custodia/contract'
import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { failUnanswered, findPushToken } from './command-store.ts'

/** Commands per transaction. */
const BATCH = 500

/** Fails commands without an answer for thirty days since they were sent or acknowledged. */
export const endUnansweredCommands = jobKind({
  name: 'commands.unanswered',
  input: z.object({}),
  every: 3600,
  async run(ctx, _input, signal) {
    for (const { client_id } of await listClients(ctx.db)) {
      for (let ended = BATCH; ended === BATCH;) {
        signal.throwIfAborted()
        const now = ctx.now()
        const since = now - COMMAND_ANSWER_DAYS * 86_400
        ended = await ctx.db.write(client_id, (tx) => failUnanswered(tx, { since, now, most: BATCH }))
      }
    }
  },
})

/** Wakes a device that has an open command. A device that the push service does not know finds out at its next call. */
export const wakePhone = jobKind({
  name: 'commands.wake',
  input: z.object({ client_id: z.int(), device_id: z.int() }),
  async run({ db, push }, { client_id, device_id }) {
    const fcm_token = push && (await db.read(client_id, (q) => findPushToken(q, device_id)))
    if (fcm_token) await push.wake(fcm_token)
  },
})
