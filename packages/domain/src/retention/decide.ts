import type {
  DestructionItemState,
  DestructionState,
  LegalMinimum as Minimum,
  PayloadRetention,
  PayloadState,
  PayloadType,
  RetentionBasis,
  RetentionBlock,
} from '@custodia/contract'
import { FINAL_STATES, undeleted } from '../payloads/states.ts'
import type { ProposalParty } from '../proposals/proposal.ts'

/** A hold was set or released, at a time in epoch seconds. */
export interface HoldEvent {
  act: 'set' | 'released'
  at: number
}

/** A period with the events that it is made of; `ended` null: it still is. */
export interface HeldPeriod<Event extends HoldEvent> extends HoldPeriod {
  began: Event
  ended: Event | null
}

/**
 * The periods of one legal hold, from its events in order. Contradictions keep the hold: a second start and a release
 * without a start have no effect.
 */
export function holdPeriods<Event extends HoldEvent>(events: readonly Event[]): HeldPeriod<Event>[] {
  const periods: HeldPeriod<Event>[] = []
  for (const event of events) {
    const last = periods.at(-1)
    const isOpen = last !== undefined && last.ended === null
    if (event.act === 'set' && !isOpen)
      periods.push({ from: event.at, until: null, began: event, ended: null })
    if (event.act === 'released' && isOpen) {
      last.ended = event
      last.until = event.at
    }
  }
  return periods
}

/** That a payload was delivered to the storage of a transfer config, and when it was first; epoch seconds. */
export interface Delivery {
  transfer_config_reference: string
  transferred_at: number
}

/**
 * When a payload counts as transferred: at the newest first delivery among the required configs, or at the first of
 * all if none is required; null: not yet. Another check requires a delivery by every config.
 */
export function transferredAt(required: readonly string[], deliveries: readonly Delivery[]): number | null {
  const counting =
    required.length === 0
      ? deliveries
      : deliveries.filter(({ transfer_config_reference }) => required.includes(transfer_config_reference))
  const times = counting.map(({ transferred_at }) => transferred_at)
  if (times.length === 0) return null
  return required.length === 0 ? Math.min(...times) : Math.max(...times)
}

/** The configs that delivered it. */
export const deliveredBy = (deliveries: readonly Delivery[]): string[] =>
  deliveries.map(({ transfer_config_reference }) => transfer_config_reference)

/** When a payload expires (spec section 5, retention; reading-the-spec: retention, holds). Uncertain data is kept. */

/** Seconds of a day. */
const DAY = 86_400
/** Seconds for which a hold still holds after it was released. */
export const HOLD_GRACE_SECONDS = 7 * DAY

/** What an account wants of payloads of one type. Days absent: never; 0: at once. With both, destruction counts from deletion. */
export type RetentionRule = Readonly<
  Omit<PayloadRetention, 'entity_type' | 'required_receipts' | 'required_transfers'>
> & {
  readonly [Gate in 'required_receipts' | 'required_transfers']: Readonly<PayloadRetention[Gate]>
}

/** The legal minimum: no rule goes below it. */
export type LegalMinimum = Readonly<Pick<Minimum, 'payload_type' | 'days'>>

export interface RetentionPolicy {
  rules: readonly RetentionRule[]
  minimums: readonly LegalMinimum[]
}

/** A payload as far as its end looks at it. Times in epoch seconds. */
export interface RetentionItem {
  payload_type: PayloadType
  payload_state: PayloadState
  /** The state from which it was deleted, and when; null where it is not. */
  state_before_deletion: PayloadState | null
  deleted_at: number | null
  payload_time: number
  announced_at: number
  processed_at: number | null
  transferred_at: number | null
  receipt_confirmed_at: number | null
  restored_at: number | null
  is_late: boolean
  /** An alert said that it is late. */
  is_alerted: boolean
  /** A user wrote off its missing data. */
  is_written_off: boolean
  /** It belongs to a migration run that is not accepted yet. */
  awaits_sign_off: boolean
}

/** A period in which a subject of the payload was held; `until` null: it still is. */
export interface HoldPeriod {
  from: number
  until: number | null
}

export interface RetentionDecision {
  verdict: 'keep' | 'delete' | 'destroy'
  /** The expected time, in epoch seconds; null: never, or done. A block delays it. */
  delete_at: number | null
  destroy_at: number | null
  /** What sets the next of these times. */
  set_by: 'rule' | 'minimum' | null
  blocked_by: readonly RetentionBlock[]
}

/** What `decide` weighs. */
export interface RetentionCase {
  payload: RetentionItem
  policy: RetentionPolicy
  /** All legal holds that concern the payload. */
  holds: readonly HoldPeriod[]
  /** Names that have confirmed it. */
  receipts: readonly string[]
  /** References of the transfers that delivered it. */
  transfers: readonly string[]
}

/**
 * What retention does with a payload, when, and what blocks it; engine, forecast and screens all use it. A `delete`
 * whose rule also destroys is decided again after the deletion.
 * @param now epoch seconds, by the database
 */
export function decide(
  { payload, policy, holds, receipts, transfers }: RetentionCase,
  now: number,
): RetentionDecision {
  const rule = policy.rules.find(({ payload_type }) => payload_type === payload.payload_type)
  const blocked_by = [
    ...blocksOfState(payload),
    ...(rule ? blocksOfRule(payload, rule, { receipts, transfers }) : []),
    ...(payload.awaits_sign_off ? (['sign_off_missing'] as const) : []),
    ...(holds.some((hold) => holdsAt(hold, now)) ? (['held'] as const) : []),
  ]
  if (!rule || payload.payload_state === 'Destroyed') return { ...NEVER, blocked_by }
  const { delete_at, destroy_at, set_by } = getTimes(payload, rule, { minimums: policy.minimums, now })
  const isDue = (at: number | null) => at !== null && now >= at && blocked_by.length === 0
  const deletes = payload.payload_state !== 'Deleted' && rule.delete_after_days !== undefined
  const verdict = deletes ? (isDue(delete_at) ? 'delete' : 'keep') : isDue(destroy_at) ? 'destroy' : 'keep'
  return { verdict, delete_at, destroy_at, set_by, blocked_by }
}

/** Whether a hold holds: from its beginning until it was released and some days more. One from the future holds: a clock is wrong. */
export const holdsAt = ({ until }: HoldPeriod, now: number): boolean =>
  until === null || !(now >= until + HOLD_GRACE_SECONDS)

const NEVER = { verdict: 'keep', delete_at: null, destroy_at: null, set_by: null } as const

function blocksOfState(payload: RetentionItem): RetentionBlock[] {
  const state = undeleted(payload.payload_state, payload.state_before_deletion)
  if (state === 'Destroyed') return []
  if (!(FINAL_STATES as readonly PayloadState[]).includes(state)) return ['under_way']
  const waits = state === 'Recorded' || state === 'Failed'
  const isWrittenOff = payload.is_late && payload.is_alerted && payload.is_written_off
  return waits && !isWrittenOff ? ['not_written_off'] : []
}

function blocksOfRule(
  payload: RetentionItem,
  rule: RetentionRule,
  had: Pick<RetentionCase, 'receipts' | 'transfers'>,
): RetentionBlock[] {
  const blocks: RetentionBlock[] = []
  if (getBasis(payload, rule.retention_timestamp) === undefined) blocks.push('basis_missing')
  if (rule.required_receipts.some((name) => !had.receipts.includes(name))) blocks.push('receipts_missing')
  if (rule.required_transfers.some((reference) => !had.transfers.includes(reference)))
    blocks.push('transfers_missing')
  return blocks
}

/** When it was recorded. A late arrival counts from its arrival, because a device's clock may be years behind. */
const recordedAt = ({ payload_time, announced_at, is_late }: RetentionItem): number =>
  is_late ? Math.max(payload_time, announced_at) : payload_time

/** From when its days count; undefined: not known yet. Restored, it counts from then, where that is later. */
function getBasis(payload: RetentionItem, basis: RetentionBasis): number | undefined {
  const at = basis === 'payload_time' ? recordedAt(payload) : payload[basis]
  return typeof at === 'number' && Number.isFinite(at) ? Math.max(at, payload.restored_at ?? at) : undefined
}

function getTimes(
  payload: RetentionItem,
  rule: RetentionRule,
  { minimums, now }: { minimums: readonly LegalMinimum[]; now: number },
): Pick<RetentionDecision, 'delete_at' | 'destroy_at' | 'set_by'> {
  const basis = getBasis(payload, rule.retention_timestamp)
  const isDeleted = payload.payload_state === 'Deleted'
  const baseline = getLayer(payload, minimums)
  const byRule = {
    deletion: after(basis, rule.delete_after_days),
    end: after(basis, rule.destroy_after_days),
  }
  const delete_at = isDeleted ? null : notBefore(byRule.deletion, baseline)
  const destroyed = destroyedAfter(payload, rule, {
    ...byRule,
    // What should have been deleted before is deleted now, at the earliest.
    delete_at: delete_at === null ? null : Math.max(delete_at, now),
  })
  const destroy_at = notBefore(destroyed, baseline)
  const next = delete_at ?? destroy_at
  const wanted = delete_at === null ? destroyed : byRule.deletion
  return { delete_at, destroy_at, set_by: next === null ? null : next === wanted ? 'rule' : 'minimum' }
}

/** By the rule alone: counted from deletion where the rule deletes as well, or where the payload was deleted by itself. */
function destroyedAfter(
  { payload_state, deleted_at }: RetentionItem,
  { delete_after_days, destroy_after_days }: RetentionRule,
  { end, delete_at }: { end: number | null; delete_at: number | null },
): number | null {
  if (delete_after_days === undefined) return end
  return after(
    payload_state === 'Deleted' ? (deleted_at ?? undefined) : (delete_at ?? undefined),
    destroy_after_days,
  )
}

/** The longest legal minimum of its type. An invalid number counts as endless. */
const getLayer = (payload: RetentionItem, minimums: readonly LegalMinimum[]): number =>
  Math.max(
    -Infinity,
    ...minimums
      .filter(({ payload_type }) => payload_type === payload.payload_type)
      .map(({ days }) => (isDays(days) ? recordedAt(payload) + days * DAY : Infinity)),
  )

/** null: never. Days that are none never pass. */
const after = (from: number | undefined, days: number | undefined): number | null =>
  from === undefined || days === undefined || !isDays(days) ? null : from + days * DAY

const isDays = (days: number): boolean => Number.isSafeInteger(days) && days >= 0

const notBefore = (at: number | null, baseline: number): number | null =>
  at === null || baseline === Infinity ? null : Math.max(at, baseline)

/** What decides whether a list may be released. */
export interface ReleaseFacts {
  state: DestructionState
  /** Who saved the versions of the policy by which something that is left in it is due: the first people. */
  authors: readonly string[]
  /** Whether it is unchanged since the releaser viewed it. */
  is_current: boolean
}

export type ReleaseRefusal = 'no_person' | 'not_waiting' | 'same_person' | 'changed'

/** Why a list is not released; undefined: it is. */
export function refuseRelease(
  { state, authors, is_current }: ReleaseFacts,
  { by, kind }: Omit<ProposalParty, 'may_act'>,
): ReleaseRefusal | undefined {
  if (kind !== 'person') return 'no_person'
  if (state !== 'waiting') return 'not_waiting'
  if (authors.includes(by)) return 'same_person'
  return is_current ? undefined : 'changed'
}

/**
 * The result of excluding an item from a list, or restoring it; undefined: too late or no change. An item restored to
 * a waiting list is listed again; after the release a later list gets it for a new review.
 */
export function movedItem(
  item: DestructionItemState,
  list: DestructionState,
  is_taken_out: boolean,
): DestructionItemState | undefined {
  if (is_taken_out) return item === 'listed' ? 'taken_out' : undefined
  if (item !== 'taken_out') return undefined
  return list === 'waiting' || list === 'gathering' ? 'listed' : 'put_back'
}
