import { fault, type Own } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import { actorOf, type Handler, type PortalContext } from '../../http/context.ts'
import { newId } from '../../http/new-id.ts'
import { Problem } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { notePayloadAudit } from '../store.ts'
import { raiseEscalation, settleEscalation } from './escalation.ts'
import { markableInReach, opened } from './read.ts'
import { sealText } from './sealing.ts'
import { findReviewSettings } from './settings-store.ts'
import { decideStored, insertMark, lockMark, type Markable, type NewMark } from './store.ts'

type Parts = Pick<AppContext, 'db' | 'keys' | 'log' | 'now'>

/**
 * Marks a payload. Problems: not_found; own_recording; invalid_input, for a reason that is not in the
 * account's settings.
 */
export const addMark =
  (ctx: Parts): Handler<'addMark'> =>
  async (context, { params: { payload_reference }, body }) => {
    const { caller, now } = context
    const mark_id = newId()
    const place = { client: caller.client, payload_reference, mark_id, text: 'note' } as const
    // Checks first, so that a refused request costs no key.
    await context.read((q) => markableInReach(q, context, payload_reference))
    const sealed = body.note === undefined ? undefined : await sealText(ctx, place, null, body.note)
    const mark: NewMark = {
      mark_id,
      mark: body.mark,
      reason: body.reason ?? null,
      marked_at: now,
      marked_by: actorOf(caller),
      sealed_note: sealed?.sealed ?? null,
      wrapped_key: sealed?.wrapped_key ?? null,
    }
    await context.write(async (tx, log_id) => {
      const payload = await markableInReach(tx, context, payload_reference)
      assertNotOwn(payload)
      const { reasons } = await findReviewSettings(tx)
      if (mark.reason !== null && !reasons.includes(mark.reason))
        throw new Problem('invalid_input', {
          faults: [fault('reason', 'unknown_reference', { value: mark.reason })],
        })
      await storeMark(tx, payload, mark, caller.user_reference)
      await noteAct(tx, context, payload, log_id)
    })
    return opened(ctx, context, payload_reference, {
      ...mark,
      decided_at: null,
      decided_by: null,
      sealed_result: null,
    })
  }

/** Stores a mark; an escalation raises an alert for the supervisors of the recording's group. */
export async function storeMark(
  tx: Tx,
  payload: Pick<Markable, 'payload_id' | 'payload_reference'>,
  mark: NewMark,
  user_reference: string,
): Promise<void> {
  const group_id = await insertMark(tx, payload, mark)
  if (mark.mark === 'escalated')
    await raiseEscalation(tx, { ...payload, group_id }, { user_reference, now: mark.marked_at })
}

/**
 * Closes an escalation with a result. Problems: not_found; wrong_state, when it is closed or no escalation;
 * own_recording.
 */
export const decideMark =
  (ctx: Parts): Handler<'decideMark'> =>
  async (context, { params: { payload_reference, mark_id }, body: { result } }) => {
    const { caller, now } = context
    const by = actorOf(caller)
    const place = { client: caller.client, payload_reference, mark_id, text: 'result' } as const
    const decided = await context.write(async (tx, log_id) => {
      const payload = await markableInReach(tx, context, payload_reference)
      assertNotOwn(payload)
      const mark = await lockMark(tx, payload.payload_id, mark_id)
      if (!mark) throw new Problem('not_found', { detail: 'no such mark' })
      if (mark.mark !== 'escalated' || mark.decided_at !== null)
        throw new Problem('wrong_state', { detail: 'no open escalation' })
      const { sealed, wrapped_key } = await sealText(ctx, place, mark.wrapped_key, result)
      await decideStored(tx, mark_id, { now, by, sealed, wrapped_key })
      await settleEscalation(tx, payload, { user_reference: caller.user_reference, now })
      await noteAct(tx, context, payload, log_id)
      return { ...mark, wrapped_key, sealed_result: sealed, decided_at: now, decided_by: by }
    })
    return opened(ctx, context, payload_reference, decided)
  }

function assertNotOwn({ own }: { own: Own }): void {
  if (own === 'own') throw new Problem('own_recording')
}

const noteAct = (tx: Tx, { now, caller, action }: PortalContext, { payload_id }: Markable, log_id: string) =>
  notePayloadAudit(tx, [payload_id], { at: now, log_id, portal_user: actorOf(caller), action })
