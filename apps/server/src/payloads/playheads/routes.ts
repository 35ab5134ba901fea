import { findPayloadSubjects } from '../../payload-records/store.ts'
import { actorOf, type Handlers } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'

import { forgetPlayhead, keepPlayhead } from './store.ts'

/**
 * The endpoint that stores a player's position. Problem: not_found, also for a recording that is no longer
 * visible.
 */
export const playheadRoutes: Handlers<'savePlayhead'> = {
  savePlayhead: async (context, { params: { payload_reference }, body: { playhead } }) => {
    const { action, caller, now } = context
    const person = actorOf(caller)
    const kept = await context.write(async (tx) => {
      const [payload] = await findPayloadSubjects(tx, [payload_reference])
      if (!payload || !caller.access.permits(action, payload))
        throw new Problem('not_found', { detail: payload ? 'out of reach' : 'no such payload' })
      if (playhead !== null) return keepPlayhead(tx, payload_reference, { person, playhead, now })
      await forgetPlayhead(tx, payload_reference, person)
      return null
    })
    return { payload_reference, playhead: kept }
  },
}
