import { useLingui } from '@lingui/react/macro'
import { ActionIcon, type ActionIconProps } from '@mantine/core'
import type { ComponentProps } from 'react'
import { useProfile } from '../api/use-profile.ts'
import { Icon } from '../ui/icon.tsx'

/** Button with the user's name; anchor of the menu. */
export function UserButton(props: ActionIconProps & ComponentProps<'button'>) {
  const { t } = useLingui()
  const { user_reference } = useProfile()
  return (
    <ActionIcon variant="light" size={36} radius="xl" aria-label={t`Account of ${user_reference}`} {...props}>
      <Icon name="user" />
    </ActionIcon>
  )
}
