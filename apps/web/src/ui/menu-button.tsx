import { useLingui } from '@lingui/react/macro'
import { ActionIcon } from '@mantine/core'
import type { ComponentProps } from 'react'
import { Icon } from './icon.tsx'

/** The button of a page's overflow menu. */
export function MenuButton(props: ComponentProps<'button'>) {
  const { t } = useLingui()
  return (
    <ActionIcon variant="default" size={36} aria-label={t`More actions`} {...props}>
      <Icon name="more" />
    </ActionIcon>
  )
}
