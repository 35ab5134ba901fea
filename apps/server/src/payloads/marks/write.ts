import {
  BATCH_LIMIT,
  fault,
  type Mark,
  type MarkStatus,
  type Ownership,
  type ReviewSettings,
  type WithdrawnMark,
} from '@custodia/contract'
import { isPlayed, isTooLittle } from '@custodia/domain'
import { type AlertEvent, raiseAlert, settleAlert } from '../../alerts/raise.ts'
import type { AppContext } from '../../app-context.ts'
import { getActor, type Handler, type PortalContext } from '../../http/context.ts'
import { newId } from '../../http/new-id.ts'
import { maySee, Problem, withinReach } from '../../http/problem.ts'
import { readableRecordings } from '../../payload-records/readable.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import { chosenReferences, type ReadSearchPage } from '../lists/matching.ts'
import {
  findHeardSeconds,
  findListeners,
  findReviewable,
  findReviewables,
  type Reviewable,
} from '../plays/store.ts'
import { ESCALATED } from '../state-store.ts'
import { notePayloadAudit, readOwn, readOwns } from '../store.ts'
import { openMark, sealText } from './sealed-texts.ts'
import {
  decideStored,
  findMarks,
  findReviewSettings,
  findWithdrawable,
  hasHeard,
  type HeardThen,
  insertMarks,
  isEscalated,
  lockMark,
  type NewMark,
  withdrawStored,
} from './store.ts'

type Parts = Pick<AppContext, 'db' | 'keys' | 'log' | 'now'>

/**
 * The payload when the caller may do this with its marks. Problems: as `refusalOf`.
 */
export async function markableInReach(
  q: Queryable,
  context: Pick<PortalContext, 'caller' | 'action' | 'request'>,
  payload_reference: string,
  lock?: 'for share',
): Promise<Reviewable & { own: Ownership }> {
  const noun = context.request.method === 'GET' ? undefined : 'payloads'
  const payload = withinReach(context, await findReviewable(q, payload_reference, lock), noun)
  return { ...payload, own: await readOwn(q, payload.payload_id, context.caller) }
}

/** The marks of a payload, and who has heard it. Problem: not_found. */
export const listMarks =
  (ctx: Parts): Handler<'listMarks'> =>
  async (context, { params: { payload_reference } }) => {
    const me = getActor(context.caller)
    const { own, marks, listeners, isMine, length } = await context.read(async (q) => {
      const { payload_id, own, length } = await markableInReach(q, context, payload_reference)
      return {
        own,
        length,
        marks: await findMarks(q, payload_id),
        listeners: await findListeners(q, payload_id),
        isMine: await hasHeard(q, payload_id, me),
      }
    })
    return {
      payload_reference,
      marks: await Promise.all(marks.map((mark) => openMark(ctx, context, payload_reference, mark))),
      own,
      heard: isMine ? 'me' : listeners.length > 0 ? 'others' : 'none',
      listeners,
      length,
    }
  }

type EscalatedPayload = Pick<Reviewable, 'payload_id' | 'payload_reference' | 'group_id'>

/** Who acted, and when (epoch seconds). */
interface Actor {
  user_reference: string
  now: number
}

/** Alerts the supervisors of the recording's group about an escalation. */
const raiseEscalation = (tx: Tx, payload: EscalatedPayload, actor: Actor): Promise<void> =>
  raiseAlert(tx, getAlert(payload, actor))

/** Closes the alert after a decision, once no other escalation of the recording is open. */
async function settleEscalation(tx: Tx, payload: EscalatedPayload, actor: Actor): Promise<void> {
  if (!(await isEscalated(tx, payload.payload_id))) await settleAlert(tx, getAlert(payload, actor))
}

/** Open as long as an escalation of the recording is open. */
const getAlert = (
  { group_id, payload_reference }: EscalatedPayload,
  { user_reference, now }: Actor,
): AlertEvent => ({
  group_id,
  alert_scopes: ['ops'],
  alert_type: 'PayloadAlert',
  alert_key: `${ESCALATED}${payload_reference}`,
  text: 'payload_escalated',
  values: { payload_reference, user_reference },
  alert_severity: 'Medium',
  related_entities: [
    { entity_id: payload_reference, entity_type: 'Payload' },
    { entity_id: user_reference, entity_type: 'PortalUser' },
  ],
  now,
})

/**
 * Marks a payload. Problems: not_found; own_recording; too_little_heard; invalid_input, for a reason that is not in the
 * account's settings.
 */
export const addMark =
  (ctx: Parts): Handler<'addMark'> =>
  async (context, { params: { payload_reference }, body }) => {
    const { caller } = context
    const mark_id = newId()
    const place = { client: caller.client, payload_reference, mark_id, text: 'note' } as const
    // Checks first, so that a refused request costs no key.
    await context.read((q) => markableInReach(q, context, payload_reference))
    const text = body.note === undefined ? undefined : await sealText(ctx, place, null, body.note)
    const mark = await context.write(async (tx, log_id) => {
      const payload = await markableInReach(tx, context, payload_reference, 'for share')
      assertNotOwn(payload)
      const settings = await findReviewSettings(tx)
      const { reason = null } = body
      if (reason !== null && !settings.reasons.includes(reason))
        throw new Problem('invalid_input', {
          faults: [fault('reason', 'unknown_reference', { value: reason })],
        })
      const { payload_id } = payload
      const seconds = (await findHeardSeconds(tx, [payload_id], getActor(caller))).get(payload_id)
      const heard = getHeard(payload, seconds, body.mark, settings)
      if (heard.is_too_little && settings.requires_share) throw new Problem('too_little_heard')
      const given = { mark_id, mark: body.mark, reason, ...getAct(context), ...heard }
      const sealed = { sealed_note: text?.sealed ?? null, wrapped_key: text?.wrapped_key ?? null }
      await storeMark(tx, payload, { ...given, ...sealed }, caller.user_reference)
      await noteActs(tx, context, [payload], { log_id, detail: body.mark })
      return { ...given, ...sealed }
    })
    return openMark(ctx, context, payload_reference, {
      ...mark,
      decided_at: null,
      decided_by: null,
      sealed_result: null,
      withdrawn_at: null,
    })
  }

const getAct = ({ now, caller }: PortalContext) => ({ marked_at: now, marked_by: getActor(caller) })

/** What the caller had heard of a payload when they marked it. */
function getHeard(
  payload: Reviewable,
  seconds: number | undefined,
  mark: Mark,
  { min_share }: ReviewSettings,
): HeardThen {
  const { payload_type, length } = payload
  if (!isPlayed(payload_type)) return { heard_seconds: null, length: null, is_too_little: false }
  const heard_seconds = seconds ?? 0
  const is_too_little = isTooLittle(mark, { ...payload, seconds: heard_seconds }, min_share)
  return { heard_seconds, length, is_too_little }
}

/**
 * Marks each of these payloads on its own, or each one that matches the filter. Problem: invalid_input for an
 * escalation by filter, because each escalation raises an alert.
 */
export const markPayloads =
  (readSearchPage: ReadSearchPage): Handler<'markPayloads'> =>
  async (context, { query, body: { mark, payload_references, words } }) => {
    if (payload_references === undefined && mark === 'escalated')
      throw new Problem('invalid_input', {
        faults: [fault('payload_references', 'required', { field: 'payload_references' })],
      })
    const { references, is_cut } = payload_references
      ? { references: payload_references, is_cut: false }
      : await chosenReferences(context, query, { words }, readSearchPage)
    return context.write(async (tx, log_id) => {
      const data = await markEach(tx, context, references, { mark, log_id })
      context.noteFacts({ recordings: data.filter(({ status }) => status === 'Ok').length })
      // The caller has the rows of a selection, but not of a filter.
      const refused = payload_references === undefined ? data.filter(({ status }) => status !== 'Ok') : []
      const shown = refused.slice(0, BATCH_LIMIT).map(({ payload_reference }) => payload_reference)
      const found = await readableRecordings(tx, context.caller.access, shown)
      const seen = new Map(found.map((each) => [each.payload_reference, each.seen]))
      return {
        data: data.map((row) => {
          const named = seen.get(row.payload_reference)
          return named === undefined ? row : { ...row, seen: named }
        }),
        is_cut,
      }
    })
  }

/** Marks each of these payloads on its own, as far as the caller may. */
export async function markEach(
  tx: Tx,
  context: PortalContext,
  references: readonly string[],
  { mark, log_id }: { mark: Mark; log_id: string },
): Promise<{ payload_reference: string; status: MarkStatus; mark_id?: string }[]> {
  const { caller, action } = context
  const payloads = await findReviewables(tx, references, 'for share')
  const payload_ids = [...payloads.values()].map(({ payload_id }) => payload_id)
  const settings = await findReviewSettings(tx)
  const owns = await readOwns(tx, payload_ids, caller)
  const seconds = await findHeardSeconds(tx, payload_ids, getActor(caller))
  const made: { payload: Reviewable; mark: NewMark }[] = []
  const data = references.map((payload_reference) => {
    const payload = payloads.get(payload_reference)
    if (!payload || !caller.access.permits(action, payload)) {
      const isSeen = payload !== undefined && maySee(caller.access, 'payloads', payload)
      return { payload_reference, status: isSeen ? ('NotPermitted' as const) : ('NoMatchingRecord' as const) }
    }
    if (owns.get(payload.payload_id) === 'own') return { payload_reference, status: 'OwnRecording' as const }
    const heard = getHeard(payload, seconds.get(payload.payload_id), mark, settings)
    if (heard.is_too_little && settings.requires_share)
      return { payload_reference, status: 'TooLittleHeard' as const }
    const mark_id = newId()
    const texts = { reason: null, sealed_note: null, wrapped_key: null }
    made.push({ payload, mark: { mark_id, mark, ...getAct(context), ...heard, ...texts } })
    return { payload_reference, status: 'Ok' as const, mark_id }
  })
  if (made.length > 0) {
    await storeMarks(tx, made, caller.user_reference)
    await noteActs(
      tx,
      context,
      made.map(({ payload }) => payload),
      { log_id, detail: mark },
    )
  }
  return data
}

/** Takes back marks of the caller. A withdrawn escalation clears its alert. */
export const withdrawMarks: Handler<'withdrawMarks'> = async (context, { body: { mark_ids } }) =>
  context.write(async (tx, log_id) => {
    const { caller, action, now } = context
    const by = getActor(caller)
    const found = await findWithdrawable(tx, mark_ids, by)
    const references = [...new Set(found.map(({ payload_reference }) => payload_reference))]
    const [payload_reference = ''] = references
    context.noteFacts(references.length === 1 ? { payload_reference } : { recordings: references.length })
    const payloads = await findReviewables(tx, references)
    const withdrawn = new Map<string, WithdrawnMark>()
    const acts = new Map<Reviewable, Mark[]>()
    for (const each of found) {
      const payload = payloads.get(each.payload_reference)
      if (!payload || !caller.access.permits(action, payload)) continue
      const present = await withdrawStored(tx, payload, each, { now, by })
      if (present === undefined) continue
      if (each.mark === 'escalated')
        await settleEscalation(tx, payload, { user_reference: caller.user_reference, now })
      acts.set(payload, [...(acts.get(payload) ?? []), each.mark])
      const { mark_id, payload_reference } = each
      withdrawn.set(mark_id, { mark_id, status: 'Ok', payload_reference, ...present })
    }
    for (const [payload, marks] of acts)
      await noteActs(tx, context, [payload], { log_id, detail: marks.join(' ') })
    return {
      data: mark_ids.map((mark_id) => withdrawn.get(mark_id) ?? { mark_id, status: 'NoMatchingRecord' }),
    }
  })

/** Stores a mark; an escalation raises an alert for the supervisors of the recording's group. */
export const storeMark = (
  tx: Tx,
  payload: Pick<Reviewable, 'payload_id' | 'payload_reference'>,
  mark: NewMark,
  user_reference: string,
): Promise<void> => storeMarks(tx, [{ payload, mark }], user_reference)

async function storeMarks(
  tx: Tx,
  made: readonly { payload: Pick<Reviewable, 'payload_id' | 'payload_reference'>; mark: NewMark }[],
  user_reference: string,
): Promise<void> {
  const groups = await insertMarks(
    tx,
    made.map(({ payload: { payload_id }, mark }) => ({ ...mark, payload_id })),
  )
  for (const { payload, mark } of made) {
    const group_id = groups.get(payload.payload_id)
    if (mark.mark === 'escalated' && group_id !== undefined)
      await raiseEscalation(tx, { ...payload, group_id }, { user_reference, now: mark.marked_at })
  }
}

/**
 * Closes an escalation with a result. Problems: not_found; wrong_state, when it is closed or no escalation;
 * own_recording.
 */
export const decideMark =
  (ctx: Parts): Handler<'decideMark'> =>
  async (context, { params: { payload_reference, mark_id }, body: { result } }) => {
    const { caller, now } = context
    const by = getActor(caller)
    const place = { client: caller.client, payload_reference, mark_id, text: 'result' } as const
    const decided = await context.write(async (tx, log_id) => {
      const payload = await markableInReach(tx, context, payload_reference)
      assertNotOwn(payload)
      const mark = await lockMark(tx, payload.payload_id, mark_id)
      if (!mark) throw new Problem('not_found', { detail: 'no such mark' })
      if (mark.mark !== 'escalated' || mark.decided_at !== null || mark.withdrawn_at !== null)
        throw new Problem('wrong_state', { detail: 'no open escalation' })
      const { sealed, wrapped_key } = await sealText(ctx, place, mark.wrapped_key, result)
      await decideStored(tx, mark_id, { now, by, sealed, wrapped_key })
      await settleEscalation(tx, payload, { user_reference: caller.user_reference, now })
      await noteActs(tx, context, [payload], { log_id })
      return { ...mark, wrapped_key, sealed_result: sealed, decided_at: now, decided_by: by }
    })
    return openMark(ctx, context, payload_reference, decided)
  }

function assertNotOwn({ own }: { own: Ownership }): void {
  if (own === 'own') throw new Problem('own_recording')
}

const noteActs = (
  tx: Tx,
  { now, caller, action }: PortalContext,
  payloads: readonly Pick<Reviewable, 'payload_id'>[],
  { log_id, detail = null }: { log_id: string; detail?: string | null },
) =>
  notePayloadAudit(
    tx,
    payloads.map(({ payload_id }) => payload_id),
    { at: now, log_id, portal_user: getActor(caller), action, detail },
  )
