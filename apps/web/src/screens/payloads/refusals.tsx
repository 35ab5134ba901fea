import type { DataStatus } from '@custodia/contract'
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { notifications } from '@mantine/notifications'
import { noticeFailure } from '../../api/notices.ts'
import { Icon } from '../../ui/icon.tsx'
import { DataRefusal } from './data-address.ts'

/** Text of a data status (spec section 4), with the code as in exports and logs. */
export const REFUSALS: Readonly<Record<DataStatus, MessageDescriptor>> = {
  NoS3Url: msg`No data: the recording was not made, is not ready, or was deleted (NoS3Url).`,
  GroupNotAuthorised: msg`Your roles do not allow this recording’s group (GroupNotAuthorised).`,
  TypeNotAuthorised: msg`Your roles do not allow this recording type (TypeNotAuthorised).`,
  NoMatchingRecord: msg`Recording not found (NoMatchingRecord).`,
  Ok: msg`The server returned no data address. Try again.`,
}

/** Notice that explains a refused download, until closed. */
export function noticeDataFailure(error: unknown): void {
  if (!(error instanceof DataRefusal)) return noticeFailure(error)
  notifications.show({
    id: `refusal ${error.status}`,
    title: i18n._(msg`An error occurred`),
    message: i18n._(REFUSALS[error.status]),
    color: 'red',
    icon: <Icon name="lock" />,
    autoClose: false,
    closeButtonProps: { 'aria-label': i18n._(msg`Close`) },
  })
}
