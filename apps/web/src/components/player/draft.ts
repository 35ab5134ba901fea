import type { CommentDuration } from '@custodia/contract'
import { useSyncExternalStore } from 'react'

/** What somebody is about to say of a recording. One at a time: there is one page. */
export interface Draft {
  payload_reference: string
  /** The comment that is edited; absent: a new one. */
  comment_id?: string
  /** The comment that is answered; absent: none. */
  in_reply_to?: string
  /** Seconds of played time; null: the whole. */
  part: CommentDuration | null
}

let draft: Draft | undefined
const listeners = new Set<() => void>()

function put(next: Draft | undefined): void {
  draft = next
  for (const listener of listeners) listener()
}

/** Begins to write about a recording, in the place of what was begun. */
export const beginDraft = (next: Draft): void => put(next)

/** Means another part of the recording: in what is being written, or in something new. */
export function meanPart(payload_reference: string, part: Draft['part']): void {
  put(draft?.payload_reference === payload_reference ? { ...draft, part } : { payload_reference, part })
}

/** It was saved, or given up. */
export const endDraft = (): void => put(undefined)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Whether something is being written about the recording. */
export const isDrafted = (payload_reference: string): boolean =>
  draft?.payload_reference === payload_reference

/** What is being written about the recording. */
export function useDraft(payload_reference: string): Draft | undefined {
  const current = useSyncExternalStore(subscribe, () => draft)
  return current?.payload_reference === payload_reference ? current : undefined
}
