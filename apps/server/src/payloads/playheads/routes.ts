import { listClients } from '../../clients/store.ts'
import { getActor, type Handlers } from '../../http/context.ts'
import { withinReach } from '../../http/problem.ts'
import { periodicJob } from '../../jobs/kind.ts'
import { findPayloadSubjects } from '../../payload-records/store.ts'
import { forgetOldPlayheads, forgetPlayhead, keepPlayhead } from './store.ts'

/**
 * The endpoint that stores a player's position. Problems: as `refusalOf`, also for a recording that is no longer
 * visible.
 */
export const playheadRoutes: Handlers<'savePlayhead'> = {
  savePlayhead: async (context, { params: { payload_reference }, body: { playhead } }) => {
    const { caller, now } = context
    const person = getActor(caller)
    const kept = await context.write(async (tx) => {
      const [payload] = await findPayloadSubjects(tx, [payload_reference])
      withinReach(context, payload, 'payloads')
      if (playhead !== null) return keepPlayhead(tx, payload_reference, { person, playhead, now })
      await forgetPlayhead(tx, payload_reference, person)
      return null
    })
    return { payload_reference, playhead: kept }
  },
}

/** Deletes old playback positions, also those of people who have left or may no longer open the recording. */
export const purgePlayheads = periodicJob({
  name: 'playheads.purge',
  every: 86_400,
  async run(ctx) {
    const now = ctx.now()
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, (tx) => forgetOldPlayheads(tx, now))
  },
})
