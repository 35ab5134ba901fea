import type { CommentDuration } from '@custodia/contract'
import { useSyncExternalStore } from 'react'
import { positionIn } from './pending-playback.ts'

/** Draft of a comment on a recording; one per page. */
export interface Draft {
  payload_reference: string
  /** The edited comment; absent: a new one. */
  comment_id?: string
  /** The parent comment; absent: none. */
  in_reply_to?: string
  /** Range in seconds of played time; null: the whole recording. */
  part: CommentDuration | null
}

let draft: Draft | undefined
const listeners = new Set<() => void>()

function put(next: Draft | undefined): void {
  draft = next
  for (const listener of listeners) listener()
}

/** Starts a draft and replaces the previous one. */
export const beginDraft = (next: Draft): void => put(next)

/** Starts a draft at the player's position; without a player it is about the whole recording. */
export function beginDraftHere(payload_reference: string): void {
  const seconds = positionIn(payload_reference)
  const part = seconds === undefined ? null : { start_time: Math.floor(seconds * 10) / 10, duration: 0 }
  put({ payload_reference, part })
}

/** Sets the range of the draft, or starts a new one. */
export function meanPart(payload_reference: string, part: Draft['part']): void {
  put(draft?.payload_reference === payload_reference ? { ...draft, part } : { payload_reference, part })
}

/** Ends the draft after saving or cancelling. */
export const endDraft = (): void => put(undefined)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Whether a draft exists for the recording. */
export const isDrafted = (payload_reference: string): boolean =>
  draft?.payload_reference === payload_reference

/** Draft for the recording. */
export function useDraft(payload_reference: string): Draft | undefined {
  const current = useSyncExternalStore(subscribe, () => draft)
  return current?.payload_reference === payload_reference ? current : undefined
}
