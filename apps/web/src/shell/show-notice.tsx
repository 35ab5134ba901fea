import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { notifications } from '@mantine/notifications'
import type { Notice } from '../api/notices.ts'
import { Icon, type IconName } from '../ui/icon.tsx'

/** Style of each kind, and whether it stays until the user closes it. */
const LOOKS: Readonly<Record<Notice['kind'], { color: string; icon: IconName; stays: boolean }>> = {
  failed: { color: 'red', icon: 'alert-circle', stays: true },
  done: { color: 'teal', icon: 'check', stays: false },
  'support ended': { color: 'blue', icon: 'lifebuoy', stays: false },
  'support refused': { color: 'orange', icon: 'lifebuoy', stays: true },
  'session ends': { color: 'orange', icon: 'clock', stays: true },
  'sign in again': { color: 'orange', icon: 'lock', stays: true },
}

/** Shows a notice at the bottom of the screen. */
export function showNotice({ kind, ...result }: Notice): void {
  const { color, icon, stays } = LOOKS[kind]
  notifications.show({
    ...result,
    color,
    icon: <Icon name={icon} />,
    ...(stays ? { autoClose: false } : {}),
    style: { whiteSpace: 'pre-line' },
    closeButtonProps: { 'aria-label': i18n._(msg`Close`) },
  })
}
