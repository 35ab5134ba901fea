import {
  type DataStatus,
  type DevicePayloadState,
  LATE_AFTER_SECONDS,
  type PayloadState,
  type PayloadType,
} from '@custodia/contract'
import type { Access } from '../access/evaluate.ts'
import { hasData } from '../can/payload.ts'

/**
 * The life of a payload (spec section 4). The database enforces the same table with a trigger, and a test of the
 * server compares the two.
 */

/**
 * How a payload may come into being. What brings no data is `Uploaded` with its announcement and `NotRecorded` once its metadata was
 * checked; `Transferred` comes from the legacy platform only.
 */
export const INITIAL_STATES = {
  device: ['Recorded', 'Uploaded'],
  migration: ['Recorded', 'NotRecorded', 'Processed', 'Transferred'],
} as const satisfies Record<string, readonly PayloadState[]>

/** States in which nothing is under way, so that retention may delete and a restore may return. */
export const FINAL_STATES = [
  'NotRecorded',
  'Recorded',
  'Processed',
  'Transferred',
  'Failed',
  'Quarantined',
] as const satisfies readonly PayloadState[]

/** Next states of each state. `Deleted` returns only to the state before the deletion: see `mayMove`. */
export const TRANSITIONS: Readonly<Record<PayloadState, readonly PayloadState[]>> = {
  NotRecorded: ['Deleted'],
  Recorded: ['Uploaded', 'Deleted'],
  Uploaded: ['Scanning'],
  Scanning: ['NotRecorded', 'Processed', 'Quarantined', 'Failed'],
  Quarantined: ['Scanning', 'Deleted'],
  Failed: ['Uploaded', 'Deleted'],
  Processed: ['Deleted'],
  Transferred: ['Deleted'],
  Deleted: [...FINAL_STATES, 'Destroyed'],
  Destroyed: [],
}

/**
 * Whether a payload may move. `deleted_from` is the state remembered when it was deleted; without it nothing can
 * be restored. Staying in a state is no move.
 */
export function mayMove(from: PayloadState, to: PayloadState, deleted_from?: PayloadState | null): boolean {
  if (!TRANSITIONS[from].includes(to)) return false
  return from !== 'Deleted' || to === 'Destroyed' || to === deleted_from
}

/** The table as rows, sorted; `from_state` null stands for a payload that is new. For the database and its test. */
export function transitionRows(): { from_state: PayloadState | null; to_state: PayloadState }[] {
  const moves = Object.entries(TRANSITIONS) as [PayloadState, readonly PayloadState[]][]
  return [
    ...INITIAL_STATES.migration.map((to_state) => ({ from_state: null, to_state })),
    ...moves.flatMap(([from_state, states]) => states.map((to_state) => ({ from_state, to_state }))),
  ].sort((a, b) => order(a.from_state ?? '', b.from_state ?? '') || order(a.to_state, b.to_state))
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const DEVICE_VIEW: Readonly<Record<PayloadState, DevicePayloadState>> = {
  Recorded: 'pending',
  Uploaded: 'pending',
  Scanning: 'pending',
  Failed: 'failed',
  NotRecorded: 'processed',
  Processed: 'processed',
  Transferred: 'processed',
  Quarantined: 'processed',
  Deleted: 'processed',
  Destroyed: 'processed',
}

/**
 * The state as a device sees it: `processed` frees its copy, `failed` requests it again. An unknown payload, or
 * another device's, is `not_found`. A deleted one looks as before, so that a device with the only copy keeps it.
 */
export function deviceView(
  state: PayloadState | undefined,
  deleted_from: PayloadState | null = null,
): DevicePayloadState {
  return state === undefined ? 'not_found' : DEVICE_VIEW[undeleted(state, deleted_from)]
}

/** The state of a payload, of a deleted one that from which it was deleted. */
export const undeleted = (state: PayloadState, deleted_from: PayloadState | null): PayloadState =>
  state === 'Deleted' && deleted_from ? deleted_from : state

/** Deleting a payload, which can be undone, undoing it, and destroying what is deleted (reading-the-spec: payload states). */

/** A payload as far as its deletion looks at it. */
export interface Status {
  payload_state: PayloadState
  /** The state from which it was deleted; null where it is not. */
  state_before_deletion: PayloadState | null
}

/** What `getDeletion`, `getRestoration` and `getDestruction` make of a payload. */
export type FormerStatus = Status & { from: PayloadState }

/** A payload once deleted; undefined: it is not at rest, so that nothing may delete it now. */
export function getDeletion({ payload_state: from }: Status): FormerStatus | undefined {
  if (!mayMove(from, 'Deleted')) return undefined
  return { from, payload_state: 'Deleted', state_before_deletion: from }
}

/** A payload once restored, in the state that it had; undefined: it is not deleted, or for good. */
export function getRestoration({
  payload_state: from,
  state_before_deletion,
}: Status): FormerStatus | undefined {
  if (
    from !== 'Deleted' ||
    !state_before_deletion ||
    !mayMove(from, state_before_deletion, state_before_deletion)
  )
    return undefined
  return { from, payload_state: state_before_deletion, state_before_deletion: null }
}

/** A payload once destroyed, for ever; undefined: it is not deleted, which comes first. It remembers the state from which it was deleted. */
export function getDestruction({
  payload_state: from,
  state_before_deletion,
}: Status): (FormerStatus & { state_before_deletion: PayloadState }) | undefined {
  if (!state_before_deletion || !mayMove(from, 'Destroyed')) return undefined
  return { from, payload_state: 'Destroyed', state_before_deletion }
}

/** The history of a payload: whether what was written is a way that a payload can go. */
export interface HistoryStep {
  /** Null: it came into being. */
  from: PayloadState | null
  to: PayloadState
}

/** Possible initial states of a payload. */
const INITIAL: ReadonlySet<PayloadState> = new Set(Object.values(INITIAL_STATES).flat())

/**
 * Whether steps lead from the start to `current` by the table of states. Clocks of processes differ and times are
 * seconds, so steps come in ordered groups without an order inside a group.
 */
export function isHistory(groups: readonly (readonly HistoryStep[])[], current: PayloadState): boolean {
  return walk(groups, new Set(), 0, null, null, current)
}

function walk(
  groups: readonly (readonly HistoryStep[])[],
  used: ReadonlySet<HistoryStep>,
  index: number,
  at: PayloadState | null,
  deleted_from: PayloadState | null,
  current: PayloadState,
): boolean {
  const group = groups[index]
  if (!group) return at === current
  const open = group.filter((step) => !used.has(step))
  if (open.length === 0) return walk(groups, new Set(), index + 1, at, deleted_from, current)
  return open.some(
    (step) =>
      step.from === at &&
      mayFollow(step, deleted_from) &&
      walk(
        groups,
        new Set([...used, step]),
        index,
        step.to,
        step.to === 'Deleted' ? step.from : deleted_from,
        current,
      ),
  )
}

const mayFollow = ({ from, to }: HistoryStep, deleted_from: PayloadState | null): boolean =>
  from === null ? INITIAL.has(to) : mayMove(from, to, deleted_from)

export type DataRequest = {
  /** `payloads:play` or `payloads:download`. */
  action: string
  /** A second required action. */
  also?: string | undefined
  access: Pick<Access, 'permits'>
  /** Undefined when the caller's client has no such payload, whatever other clients have. */
  payload: { group_id: number | null; payload_type: PayloadType; payload_state: PayloadState } | undefined
}

/**
 * Whether a caller gets the data, and why not. It checks NoMatchingRecord, GroupNotAuthorised, TypeNotAuthorised,
 * NoS3Url, Ok in this order, so that a caller without the right learns nothing about the state.
 */
export function dataStatus({ action, also, access, payload }: DataRequest): DataStatus {
  if (!payload) return 'NoMatchingRecord'
  const { group_id, payload_type } = payload
  const permits = (place: { group_id: number | null; payload_type?: PayloadType }) =>
    access.permits(action, place) && (also === undefined || access.permits(also, place))
  if (!permits({ group_id })) return 'GroupNotAuthorised'
  if (!permits({ group_id, payload_type })) return 'TypeNotAuthorised'
  return hasData(payload) ? 'Ok' : 'NoS3Url'
}

/**
 * End of a recording for `isLate`, in epoch seconds; `announced_at` by the server's clock. An end more than seven days
 * after the start shows a clock that was set in between, so the start counts.
 */
export function recordedEnd({
  payload_time,
  payload_end_time,
  announced_at,
}: {
  payload_time: number
  payload_end_time: number | null | undefined
  announced_at: number
}): number {
  const end = payload_end_time ?? payload_time
  return Math.min(end - payload_time > LATE_AFTER_SECONDS ? payload_time : end, announced_at)
}

/**
 * Whether a payload is late: uploaded more than seven days of 86,400 s after the recording ended (spec section 9).
 * Both in epoch seconds. For one still waiting, pass the present time as `uploaded_at`.
 */
export function isLate({
  recorded_end,
  uploaded_at,
}: {
  recorded_end: number
  uploaded_at: number
}): boolean {
  return uploaded_at - recorded_end > LATE_AFTER_SECONDS
}
