/**
 * The life of a payload (spec section 4). The database enforces the same table with a trigger, and a test of the
 * server compares the two.
 */
import type { DevicePayloadState, PayloadState } from '@custodia/contract'

/**
 * How a payload may come into being. What brings no data is `Uploaded` with its announcement and `NotRecorded` once its metadata was
 * checked; `Transferred` comes from the legacy platform only.
 */
export const INITIAL_STATES = {
  phone: ['Recorded', 'Uploaded'],
  migration: ['Recorded', 'NotRecorded', 'Processed', 'Transferred'],
} as const satisfies Record<string, readonly PayloadState[]>

/** States in which nothing is under way, so that retention may delete and a restore may return. */
export const RESTING_STATES = [
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
  Deleted: [...RESTING_STATES, 'Destroyed'],
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
 * The state as a phone sees it: `processed` frees its copy, `failed` requests it again. An unknown payload, or
 * another phone's, is `not_found`. A deleted one looks as before, so that a phone with the only copy keeps it.
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
