/** Deleting a payload, which can be undone, undoing it, and destroying what is deleted (reading-the-spec: payload states). */
import type { PayloadState } from '@custodia/contract'
import { mayMove } from './states.ts'

/** A payload as far as its deletion looks at it. */
export interface Status {
  payload_state: PayloadState
  /** The state from which it was deleted; null where it is not. */
  state_before_deletion: PayloadState | null
}

/** What `deletionOf`, `restorationOf` and `destructionOf` make of a payload. */
export type Stood = Status & { from: PayloadState }

/** A payload once deleted; undefined: it is not at rest, so that nothing may delete it now. */
export function deletionOf({ payload_state: from }: Status): Stood | undefined {
  if (!mayMove(from, 'Deleted')) return undefined
  return { from, payload_state: 'Deleted', state_before_deletion: from }
}

/** A payload once restored, in the state that it had; undefined: it is not deleted, or for good. */
export function restorationOf({ payload_state: from, state_before_deletion }: Status): Stood | undefined {
  if (
    from !== 'Deleted' ||
    !state_before_deletion ||
    !mayMove(from, state_before_deletion, state_before_deletion)
  )
    return undefined
  return { from, payload_state: state_before_deletion, state_before_deletion: null }
}

/** A payload once destroyed, for ever; undefined: it is not deleted, which comes first. It remembers the state from which it was deleted. */
export function destructionOf({
  payload_state: from,
  state_before_deletion,
}: Status): (Stood & { state_before_deletion: PayloadState }) | undefined {
  if (!state_before_deletion || !mayMove(from, 'Destroyed')) return undefined
  return { from, payload_state: 'Destroyed', state_before_deletion }
}
