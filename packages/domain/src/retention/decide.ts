/**
 * When a payload goes (spec section 5, retention; reading-the-spec: retention, holds). Whatever is not known for certain keeps it.
 */
import type {
  LegalMinimum as Minimum,
  PayloadRetention,
  PayloadState,
  PayloadType,
  RetentionBasis,
  RetentionBlock,
} from '@custodia/contract'
import { RESTING_STATES, undeleted } from '../payloads/states.ts'

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

/** What the law asks for: no rule goes below it. */
export type LegalMinimum = Readonly<Pick<Minimum, 'payload_type' | 'days'>>

export interface RetentionPolicy {
  rules: readonly RetentionRule[]
  minimums: readonly LegalMinimum[]
}

/** A payload as far as its end looks at it. Times in epoch seconds. */
export interface Retained {
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
  /** Somebody gave up waiting for its data. */
  is_abandoned: boolean
  /** It came with a run of a migration that nobody has accepted yet. */
  awaits_sign_off: boolean
}

/** A period in which a subject of the payload was held; `until` null: it still is. */
export interface HoldPeriod {
  from: number
  until: number | null
}

export interface RetentionDecision {
  verdict: 'keep' | 'delete' | 'destroy'
  /** When it is to go as far as is known now, in epoch seconds; null: never, or it has gone. Nothing goes while it is blocked. */
  delete_at: number | null
  destroy_at: number | null
  /** What sets the next of these times. */
  set_by: 'rule' | 'minimum' | null
  blocked_by: readonly RetentionBlock[]
}

/** What `decide` weighs. */
export interface RetentionCase {
  payload: Retained
  policy: RetentionPolicy
  /** Of everybody whose hold concerns the payload. */
  holds: readonly HoldPeriod[]
  /** Names that have confirmed it. */
  receipts: readonly string[]
  /** References of the transfers that delivered it. */
  transfers: readonly string[]
}

/**
 * What is to become of a payload at `now` (epoch seconds, by the database), when, and what stands in the way. Engine, forecast and screens
 * ask nobody else. A `delete` whose rule destroys as well is decided again once it is deleted.
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
  const { delete_at, destroy_at, set_by } = timesOf(payload, rule, { minimums: policy.minimums, now })
  const isDue = (at: number | null) => at !== null && now >= at && blocked_by.length === 0
  const deletes = payload.payload_state !== 'Deleted' && rule.delete_after_days !== undefined
  const verdict = deletes ? (isDue(delete_at) ? 'delete' : 'keep') : isDue(destroy_at) ? 'destroy' : 'keep'
  return { verdict, delete_at, destroy_at, set_by, blocked_by }
}

/** Whether a hold holds: from its beginning until it was released and some days more. One from the future holds: a clock is wrong. */
export const holdsAt = ({ until }: HoldPeriod, now: number): boolean =>
  until === null || !(now >= until + HOLD_GRACE_SECONDS)

const NEVER = { verdict: 'keep', delete_at: null, destroy_at: null, set_by: null } as const

function blocksOfState(payload: Retained): RetentionBlock[] {
  const state = undeleted(payload.payload_state, payload.state_before_deletion)
  if (state === 'Destroyed') return []
  if (!(RESTING_STATES as readonly PayloadState[]).includes(state)) return ['under_way']
  const waits = state === 'Recorded' || state === 'Failed'
  const isGivenUp = payload.is_late && payload.is_alerted && payload.is_abandoned
  return waits && !isGivenUp ? ['not_abandoned'] : []
}

function blocksOfRule(
  payload: Retained,
  rule: RetentionRule,
  had: Pick<RetentionCase, 'receipts' | 'transfers'>,
): RetentionBlock[] {
  const blocks: RetentionBlock[] = []
  if (basisOf(payload, rule.retention_timestamp) === undefined) blocks.push('basis_missing')
  if (rule.required_receipts.some((name) => !had.receipts.includes(name))) blocks.push('receipts_missing')
  if (rule.required_transfers.some((reference) => !had.transfers.includes(reference)))
    blocks.push('transfers_missing')
  return blocks
}

/**
 * When it was recorded. What came late counts from its arrival: a phone whose clock stands years behind would else have its
 * recordings destroyed as they come.
 */
const recordedAt = ({ payload_time, announced_at, is_late }: Retained): number =>
  is_late ? Math.max(payload_time, announced_at) : payload_time

/** From when its days count; undefined: not known yet. Restored, it counts from then, where that is later. */
function basisOf(payload: Retained, basis: RetentionBasis): number | undefined {
  const at = basis === 'payload_time' ? recordedAt(payload) : payload[basis]
  return typeof at === 'number' && Number.isFinite(at) ? Math.max(at, payload.restored_at ?? at) : undefined
}

function timesOf(
  payload: Retained,
  rule: RetentionRule,
  { minimums, now }: { minimums: readonly LegalMinimum[]; now: number },
): Pick<RetentionDecision, 'delete_at' | 'destroy_at' | 'set_by'> {
  const basis = basisOf(payload, rule.retention_timestamp)
  const isDeleted = payload.payload_state === 'Deleted'
  const baseline = layerOf(payload, minimums)
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
  { payload_state, deleted_at }: Retained,
  { delete_after_days, destroy_after_days }: RetentionRule,
  { end, delete_at }: { end: number | null; delete_at: number | null },
): number | null {
  if (delete_after_days === undefined) return end
  return after(
    payload_state === 'Deleted' ? (deleted_at ?? undefined) : (delete_at ?? undefined),
    destroy_after_days,
  )
}

/** The last of the legal minimums of its type; nothing goes before. A minimum that is no number never ends. */
const layerOf = (payload: Retained, minimums: readonly LegalMinimum[]): number =>
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
