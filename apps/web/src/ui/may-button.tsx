import { useLingui } from '@lingui/react/macro'
import { Button, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMay } from '../api/use-profile.ts'
import { Hint } from './hint.tsx'

/** A button that says why when it cannot be used: without the permission `action`, or for another reason. */
export function MayButton({
  action,
  reason,
  onClick,
  children,
  ...rest
}: ButtonProps & {
  action: string
  /** Why it makes no sense now; undefined when it does. */
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
        // Not `disabled`: who navigates by keyboard must reach the reason.
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
