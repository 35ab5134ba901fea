import { COMMAND_ANSWER_DAYS } from '@custodia/contract'
import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { failUnanswered } from './command-store.ts'

/** Commands that are ended in one transaction. */
const BATCH = 500

/** Ends commands that no phone has answered for thirty days, one that was acknowledged as many days afterwards. */
export const endUnansweredCommands = jobKind({
  name: 'commands.unanswered',
  input: z.object({}),
  every: 3600,
  async run(house, _input, signal) {
    for (const { client_id } of await listClients(house.db)) {
      for (let ended = BATCH; ended === BATCH;) {
        signal.throwIfAborted()
        const now = house.now()
        const since = now - COMMAND_ANSWER_DAYS * 86_400
        ended = await house.db.write(client_id, (tx) => failUnanswered(tx, { since, now, most: BATCH }))
      }
    }
  },
})
