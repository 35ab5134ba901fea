import { useLingui } from '@lingui/react/macro'
import { Button, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMay } from '../api/use-profile.ts'
import { Hint } from './hint.tsx'

/** Button that explains why it is disabled: missing permission `action`, or another reason. */
export function MayButton({
  action,
  reason,
  onClick,
  children,
  ...rest
}: ButtonProps & {
  action: string
  /** Why it is unavailable; undefined when available. */
  reason?: string | undefined
  onClick: () => void
  children: ReactNode
}) {
  const { t } = useLingui()
  const may = useMay()
  const why = may(action) ? reason : t`You need the permission ${action}.`
  return (
    <Hint label={why}>
      <Button
        {...rest}
        // Not `disabled`: keyboard users must reach the reason.
        {...(why === undefined
          ? {}
          : { 'data-disabled': true, 'aria-disabled': true, 'aria-description': why })}
        onClick={() => {
          if (why === undefined) onClick()
        }}
      >
        {children}
      </Button>
    </Hint>
  )
}
