import { actorOf, type Handler } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { abandon } from '../abandonment-store.ts'
import { findDataSubjects, notePayloadAudit } from '../store.ts'

/**
 * Writes off the data of one payload. Problems: not_found; wrong_state when it is not late or has arrived.
 */
export const abandonPayload =
  (): Handler<'abandonPayload'> =>
  ({ caller, action, now, write }, { params: { payload_reference } }) =>
    write(async (tx, log_id) => {
      const subject = (await findDataSubjects(tx, [payload_reference])).get(payload_reference)
      if (!subject || !caller.access.permits(action, subject))
        throw new Problem('not_found', { detail: 'no such payload in reach' })
      const abandoned_at = await abandon(tx, subject.payload_id, actorOf(caller))
      if (abandoned_at === undefined)
        throw new Problem('wrong_state', { detail: 'it is not awaited and late' })
      await notePayloadAudit(tx, [subject.payload_id], {
        at: now,
        log_id,
        portal_user: actorOf(caller),
        action,
      })
      return { payload_reference, abandoned_at }
    })
