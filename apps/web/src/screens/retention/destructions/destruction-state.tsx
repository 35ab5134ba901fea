import type { DestructionItemState, DestructionState as State } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { type BadgeStyles, WordBadge, type Words } from '../../../components/words/spec-word.tsx'

/** Outcomes of a destruction list. */
const STATE_WORDS: Words<State> = {
  gathering: msg({ context: 'state of a list of destructions', message: 'Being prepared' }),
  waiting: msg({ context: 'state of a list of destructions', message: 'Awaiting release' }),
  released: msg({ context: 'state of a list of destructions', message: 'Released' }),
  lapsed: msg({ context: 'state of a list of destructions', message: 'Cancelled' }),
}

/** Outcomes of a recording in a destruction list. */
export const DESTRUCTION_ITEM_WORDS: Words<DestructionItemState> = {
  listed: msg({ context: 'recording in a list of destructions', message: 'To be destroyed' }),
  taken_out: msg({ context: 'recording in a list of destructions', message: 'Removed' }),
  put_back: msg({ context: 'recording in a list of destructions', message: 'Returned' }),
  destroyed: msg({ context: 'recording in a list of destructions', message: 'Destroyed' }),
  kept: msg({ context: 'recording in a list of destructions', message: 'No longer due' }),
}

const STYLES: BadgeStyles<State> = {
  gathering: { color: 'gray', icon: 'clock' },
  waiting: { color: 'orange', icon: 'clock' },
  released: { color: 'teal', icon: 'check' },
  lapsed: { color: 'gray', icon: 'x' },
}

/** State of a destruction list. */
export function DestructionState({ state }: { state: State }) {
  return <WordBadge value={state} words={STATE_WORDS} styles={STYLES} />
}
