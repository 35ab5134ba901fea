import type { ApprovalState } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from './spec-word.tsx'

/** States of a support access request (spec section 4). */
export const APPROVAL_STATE_WORDS: Words<ApprovalState> = {
  pending: msg({ context: 'state of a request', message: 'Pending' }),
  approved: msg({ context: 'state of a request', message: 'Approved' }),
  rejected: msg({ context: 'state of a request', message: 'Rejected' }),
  revoked: msg({ context: 'state of a request', message: 'Revoked' }),
  canceled: msg({ context: 'state of a request', message: 'Canceled' }),
  expired: msg({ context: 'state of a request', message: 'Expired' }),
}
