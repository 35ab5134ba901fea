import type { RestoreStatus } from '@custodia/contract'
import { actorOf, type Handler, type PortalContext } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { restorePayloads } from '../deletion-store.ts'
import { type DataSubject, findDataSubjects, notePayloadAudit } from '../store.ts'

/**
 * Restores one deleted payload. Problems: not_found, when it is not visible; wrong_state, when it is not
 * deleted, or destroyed.
 */
export const restorePayload =
  (): Handler<'restorePayload'> =>
  async (context, { params: { payload_reference } }) => {
    const { statuses, states } = await restored(context, [payload_reference])
    const status = statuses.get(payload_reference)
    const payload_state = states.get(payload_reference)
    if (status === 'Ok' && payload_state) return { payload_reference, payload_state }
    if (status === undefined) throw new Problem('not_found', { detail: 'no such payload in reach' })
    throw new Problem('wrong_state', { detail: `it is not to be restored: ${status}` })
  }

/** Restores each of these payloads on its own. */
export const restoreManyPayloads =
  (): Handler<'restorePayloads'> =>
  async (context, { body: { payload_references } }) => {
    const { statuses } = await restored(context, payload_references)
    return {
      data: payload_references.map((payload_reference) => ({
        payload_reference,
        status: statuses.get(payload_reference) ?? 'NoMatchingRecord',
      })),
    }
  }

function restored(context: PortalContext, references: readonly string[]) {
  const { caller, action, now } = context
  return context.write(async (tx, log_id) => {
    const subjects = await findDataSubjects(tx, references)
    const inReach = references.flatMap((reference) => {
      const subject = subjects.get(reference)
      return subject && caller.access.permits(action, subject) ? [subject] : []
    })
    const by = actorOf(caller)
    const taken = await restorePayloads(
      tx,
      inReach.map(({ payload_id }) => payload_id),
      { now, by },
    )
    const ids = taken.map(({ payload_id }) => payload_id)
    await notePayloadAudit(tx, ids, { at: now, log_id, portal_user: by, action })
    const stateOf = new Map(taken.map(({ payload_id, payload_state }) => [payload_id, payload_state]))
    const statusOf = ({ payload_id, payload_state }: DataSubject): RestoreStatus =>
      stateOf.has(payload_id) ? 'Ok' : payload_state === 'Destroyed' ? 'Destroyed' : 'NotDeleted'
    return {
      statuses: new Map(inReach.map((subject) => [subject.payload_reference, statusOf(subject)])),
      states: new Map(inReach.map((subject) => [subject.payload_reference, stateOf.get(subject.payload_id)])),
    }
  })
}
