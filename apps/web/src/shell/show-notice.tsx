import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { Notice } from '../api/notices.ts'
import { Icon, type IconName } from '../ui/icon.tsx'

/** Style of each kind, and whether it stays until the user closes it. */
const STYLES: Readonly<Record<Notice['kind'], { color: string; icon: IconName; stays: boolean }>> = {
  failed: { color: 'red', icon: 'alert-circle', stays: true },
  done: { color: 'teal', icon: 'check', stays: false },
  warned: { color: 'orange', icon: 'warning', stays: false },
  'support ended': { color: 'blue', icon: 'lifebuoy', stays: false },
  'support refused': { color: 'orange', icon: 'lifebuoy', stays: true },
  'session ends': { color: 'orange', icon: 'clock', stays: true },
  'sign in again': { color: 'orange', icon: 'lock', stays: true },
}

/** Failures on the shown page. */
const ofPage = new Set<string>()

/** Hides the failures of a page that the user leaves. */
export function hideNoticesOfPage(): void {
  for (const id of ofPage) notifications.hide(id)
  ofPage.clear()
}

/** The last notice with a button: only the last act can be undone. */
let lastWithAction: string | undefined
/** The last notice that closes itself. A later one takes its place: a stack would cover rows and players. */
let lastPassing: string | undefined

/** Shows a notice at the bottom of the screen. */
export function showNotice({ kind, action, undoes, message, ...result }: Notice): void {
  const { color, icon, stays } = STYLES[kind]
  if ((action || undoes) && lastWithAction !== undefined) notifications.hide(lastWithAction)
  if (!stays && lastPassing !== undefined) notifications.hide(lastPassing)
  const id = notifications.show({
    ...result,
    message: action ? (
      <Group justify="space-between" gap="sm" wrap="nowrap">
        {message}
        <Button
          size="compact-sm"
          flex="none"
          variant="default"
          onClick={() => {
            notifications.hide(id)
            action.run()
          }}
        >
          {action.label}
        </Button>
      </Group>
    ) : (
      message
    ),
    color,
    icon: <Icon name={icon} />,
    ...(stays ? { autoClose: false } : {}),
    style: { whiteSpace: 'pre-line' },
    closeButtonProps: { 'aria-label': i18n._(msg`Close`) },
  })
  if (action) lastWithAction = id
  else if (!stays) lastPassing = id
  if (kind === 'failed') ofPage.add(id)
}
