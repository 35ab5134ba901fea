import { boundParts, hasData, isPlayed, mostHeard, getSeconds } from '@custodia/domain'
import { getActor, type Handlers } from '../../http/context.ts'
import { Problem, withinReach } from '../../http/problem.ts'
import { findFirstPlayback, findReviewable, storePlay } from './store.ts'

/**
 * The endpoint that receives what a player has played. Problems: not_found, also for a recording that is no longer
 * visible; wrong_state, for a payload that does not play or that the caller has not played, and for more than a player
 * can have played since.
 */
export const playRoutes: Handlers<'reportPlay'> = {
  reportPlay: async (context, { params: { payload_reference }, body }) => {
    const { caller, now } = context
    // The playback itself has an entry.
    context.leaveNoEntry()
    return context.write(async (tx) => {
      const payload = withinReach(context, await findReviewable(tx, payload_reference), 'payloads')
      if (!isPlayed(payload.payload_type) || !hasData(payload))
        throw new Problem('wrong_state', { detail: 'it does not play' })
      const { length } = payload
      const heard = { parts: boundParts(body.parts, length ?? undefined), length }
      const { payload_id } = payload
      const person = getActor(caller)
      const first = await findFirstPlayback(tx, payload_id, person)
      if (first === undefined) throw new Problem('wrong_state', { detail: 'no playback in the audit' })
      const parts = await storePlay(tx, payload_id, { ...heard, person, now })
      if (getSeconds(parts) > mostHeard(now - first))
        throw new Problem('wrong_state', { detail: 'more than can have been played since' })
      return { payload_reference, parts, length }
    })
  },
}
