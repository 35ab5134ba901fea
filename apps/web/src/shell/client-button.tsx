import { Trans, useLingui } from '@lingui/react/macro'
import { UnstyledButton } from '@mantine/core'
import type { ComponentProps } from 'react'
import { useProfile } from '../api/use-profile.ts'
import { Icon } from '../ui/icon.tsx'
import classes from './client-switch.module.css'

/** Button with the active client's name; anchor of the menu. */
export function ClientButton({ className = '', ...props }: ComponentProps<'button'>) {
  const { t } = useLingui()
  const { client_name, support } = useProfile()
  const shown = support === null ? t`Provider` : client_name
  return (
    <UnstyledButton {...props} className={`${classes.button} ${className}`} aria-label={t`Client: ${shown}`}>
      <span className={classes.name}>{support === null ? <Trans>Provider</Trans> : client_name}</span>
      <Icon name="chevron-down" size={15} />
    </UnstyledButton>
  )
}
