import type { EnrolmentState } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from './spec-word.tsx'

/** States of enrolments. */
export const ENROLMENT_STATE_WORDS: Words<EnrolmentState> = {
  open: msg({ context: 'enrolment', message: 'Open' }),
  used: msg({ context: 'enrolment', message: 'Used' }),
  expired: msg({ context: 'enrolment', message: 'Expired' }),
  revoked: msg({ context: 'enrolment', message: 'Revoked' }),
}
