import type { DestructionItemState, DestructionState } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from '../words/spec-word.tsx'

/** Outcomes of a destruction list. */
export const DESTRUCTION_STATE_WORDS: Words<DestructionState> = {
  gathering: msg({ context: 'state of a list of destructions', message: 'Being gathered' }),
  waiting: msg({ context: 'state of a list of destructions', message: 'Waiting' }),
  released: msg({ context: 'state of a list of destructions', message: 'Released' }),
  lapsed: msg({ context: 'state of a list of destructions', message: 'Lapsed' }),
}

/** Outcomes of a recording in a destruction list. */
export const DESTRUCTION_ITEM_WORDS: Words<DestructionItemState> = {
  listed: msg({ context: 'recording in a list of destructions', message: 'To be destroyed' }),
  taken_out: msg({ context: 'recording in a list of destructions', message: 'Taken out' }),
  put_back: msg({ context: 'recording in a list of destructions', message: 'Put back' }),
  destroyed: msg({ context: 'recording in a list of destructions', message: 'Destroyed' }),
  kept: msg({ context: 'recording in a list of destructions', message: 'Not due any more' }),
}
