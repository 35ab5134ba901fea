import type { DestructionItemState, DestructionState } from '@custodia/contract'
import type { ProposalParty } from '../proposals/proposal.ts'

/** Who may have a list of destructions carried out (issue: each destruction waits for a second person), and what becomes of what is in it. */

/** What decides whether a list may be released. */
export interface ReleaseFacts {
  state: DestructionState
  /** Who saved the versions of the policy by which something that is left in it is due: the first people. */
  authors: readonly string[]
  /** Whether it is as it was when whoever releases it looked at it. */
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
 * What taking out, or putting back, makes of something in a list; undefined: nothing, it is too late or already so. What is put back into a list
 * that waits is listed again; into one that was released it comes no more: a later list has it, which somebody looks at.
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
