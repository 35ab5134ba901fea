import type { ApprovalState } from '@custodia/contract'
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { notifications } from '@mantine/notifications'
import { Icon } from '../ui/icon.tsx'
import { failureText } from './failure-text.ts'

/** Shows a failed call at the bottom of the screen until it is closed (spec section 8). Equal texts appear once. */
export function noticeFailure(error: unknown): void {
  const message = failureText(error, i18n)
  notifications.show({
    id: `failure ${message}`,
    title: i18n._(msg`An error occurred`),
    message,
    color: 'red',
    icon: <Icon name="alert-circle" />,
    autoClose: false,
    style: { whiteSpace: 'pre-line' },
    closeButtonProps: { 'aria-label': i18n._(msg`Close`) },
  })
}

/** Shows that something was done. */
export function noticeDone(message: string): void {
  notifications.show({
    message,
    color: 'teal',
    icon: <Icon name="check" />,
    closeButtonProps: { 'aria-label': i18n._(msg`Close`) },
  })
}

/** Support mode is over; `why` is what the server says of the approval, absent when staff ended it themselves. */
export function noticeEndingSupportMode(why?: ApprovalState | 'unknown', client = ''): void {
  const reasons: Partial<Record<ApprovalState | 'unknown', string>> = {
    revoked: i18n._(msg`${client} revoked the access.`),
    expired: i18n._(msg`The time that ${client} approved is over.`),
    unknown: i18n._(msg`Support access has ended or was revoked.`),
  }
  const reason = why === undefined ? undefined : (reasons[why] ?? reasons.unknown)
  notifications.show({
    id: 'ending support mode',
    ...(reason === undefined ? {} : { title: i18n._(msg`Ending support mode`) }),
    message: reason ?? i18n._(msg`Ending support mode`),
    color: reason === undefined ? 'blue' : 'orange',
    icon: <Icon name="lifebuoy" />,
    ...(reason === undefined ? {} : { autoClose: false }),
    closeButtonProps: { 'aria-label': i18n._(msg`Close`) },
  })
}

/** Shown once, some minutes before the session ends however often it is refreshed; `time` as the reader writes it. */
export function noticeSessionEnds(time: string): void {
  notifications.show({
    id: 'session ends',
    message: i18n._(msg`Your session ends at ${time}; save your work and sign in again`),
    color: 'orange',
    icon: <Icon name="clock" />,
    autoClose: false,
    closeButtonProps: { 'aria-label': i18n._(msg`Close`) },
  })
}

/** An authenticated call found no id token (spec section 8). */
export function noticeAuthenticationExpired(): void {
  notifications.show({
    id: 'authentication expired',
    message: i18n._(msg`Authentication expired`),
    color: 'orange',
    icon: <Icon name="lock" />,
    autoClose: false,
    closeButtonProps: { 'aria-label': i18n._(msg`Close`) },
  })
}
