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
