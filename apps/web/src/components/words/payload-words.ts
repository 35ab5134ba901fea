import { type HEARD, type Mark, type PayloadState, type PayloadType, getService } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Words } from './spec-word.tsx'

/** Payload types (spec section 4). */
export const PAYLOAD_TYPE_WORDS: Words<PayloadType> = {
  Call: msg`Call`,
  AbortedCall: msg`Aborted call`,
  BlockedCall: msg`Blocked call`,
  Interview: msg`Interview`,
  Photo: msg`Photo`,
  Video: msg`Video`,
  SMS: msg`SMS`,
  MMS: msg`MMS`,
  RCS: msg`RCS`,
  Diagnostics: msg`Diagnostics`,
}

/** Payload states (spec section 4). */
export const PAYLOAD_STATE_WORDS: Words<PayloadState> = {
  NotRecorded: msg({ context: 'state of a recording', message: 'Not recorded' }),
  Recorded: msg({ context: 'state of a recording', message: 'Recorded' }),
  Uploaded: msg({ context: 'state of a recording', message: 'Uploaded' }),
  Scanning: msg({ context: 'state of a recording', message: 'Scanning' }),
  Processed: msg({ context: 'state of a recording', message: 'Processed' }),
  Transferred: msg({ context: 'state of a recording', message: 'Transferred' }),
  Deleted: msg({ context: 'state of a recording', message: 'Deleted' }),
  Destroyed: msg({ context: 'state of a recording', message: 'Destroyed' }),
  Failed: msg({ context: 'state of a recording', message: 'Failed' }),
  Quarantined: msg({ context: 'state of a recording', message: 'Quarantined' }),
}

/** Listening and viewing states. */
type HeardWords = Words<(typeof HEARD)[number]>
const HEARD_WORDS: HeardWords = {
  me: msg`Heard`,
  others: msg`Heard by others`,
  none: msg`Unheard`,
}
const OPENED_WORDS: HeardWords = {
  me: msg({ context: 'by the user', message: 'Opened' }),
  others: msg`Opened by others`,
  none: msg`Unopened`,
}

/** Recordings with sound are heard; others are opened. */
export const isHeard = (payload_type: PayloadType | undefined): boolean =>
  payload_type !== undefined && ['calls', 'interviews'].includes(getService(payload_type))

/** Labels for "heard" or "opened" of a payload type. */
export const heardWords = (payload_type: PayloadType | undefined): HeardWords =>
  isHeard(payload_type) ? HEARD_WORDS : OPENED_WORDS

export const MARK_WORDS: Words<Mark> = {
  reviewed: msg({ context: 'mark', message: 'Reviewed' }),
  flagged: msg({ context: 'mark', message: 'Flagged' }),
  escalated: msg({ context: 'mark', message: 'Escalated' }),
}

/** Sources of positions. A device may send others, which are shown unchanged. */
export const POSITION_SOURCES: ReadonlyMap<string, MessageDescriptor> = new Map([
  ['network', msg`network`],
  ['fused', msg({ context: 'source of a position', message: 'combined' })],
])
