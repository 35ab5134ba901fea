import type { DestructionItemState, DestructionState } from '@custodia/contract'
import type { ProposalParty } from '../proposals/proposal.ts'

/** Who may have a list of destructions carried out (issue: each destruction waits for a second person), and what becomes of what is in it. */

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
