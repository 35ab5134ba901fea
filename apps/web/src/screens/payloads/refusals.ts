import type { DataStatus } from '@custodia/contract'
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { noticeFailure, noticeProblem } from '../../api/notices.ts'
import { DataRefusal } from './data-address.ts'

/** Text of a data status (spec section 4), with the code as in exports and logs. */
export const REFUSALS: Readonly<Record<DataStatus, MessageDescriptor>> = {
  NoS3Url: msg`No data: the recording was not made, is not ready, or was deleted (NoS3Url).`,
  GroupNotAuthorised: msg`Your roles do not allow this recording’s group (GroupNotAuthorised).`,
  TypeNotAuthorised: msg`Your roles do not allow this recording type (TypeNotAuthorised).`,
  NoMatchingRecord: msg`Recording not found (NoMatchingRecord).`,
  Ok: msg`The server returned no data address. Try again.`,
}

/** Notice that explains refused data, until closed. */
export function noticeDataFailure(error: unknown): void {
  if (!(error instanceof DataRefusal)) return noticeFailure(error)
  noticeProblem(i18n._(msg`An error occurred`), i18n._(REFUSALS[error.status]))
}
