import type { DataStatus } from '@custodia/contract'
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { notifications } from '@mantine/notifications'
import { noticeFailure } from '../../api/notices.ts'
import { Icon } from '../../ui/icon.tsx'
import { DataRefusal } from './data-address.ts'

/** Text of a data status (spec section 4), with the code as in exports and logs. */
export const REFUSALS: Readonly<Record<DataStatus, MessageDescriptor>> = {
  NoS3Url: msg`There is no data: it was not recorded, is not ready yet, or was deleted (NoS3Url).`,
  GroupNotAuthorised: msg`Your roles do not reach the group of this recording (GroupNotAuthorised).`,
  TypeNotAuthorised: msg`Your roles do not include this type of recording (TypeNotAuthorised).`,
  NoMatchingRecord: msg`There is no such recording (NoMatchingRecord).`,
  Ok: msg`The server gave no address for the data.`,
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
