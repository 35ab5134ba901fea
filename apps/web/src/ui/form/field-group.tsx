import type { ReactNode, Ref } from 'react'
import classes from './field-group.module.css'

/** Related fields under one label. */
export function FieldGroup({
  label,
  ref,
  children,
}: {
  label: string
  ref?: Ref<HTMLFieldSetElement>
  children: ReactNode
}) {
  return (
    <fieldset ref={ref} className={classes.group}>
      <legend>{label}</legend>
      {children}
    </fieldset>
  )
}

/** Renders dropdowns inside their field's landmark instead of at the end of the page. */
export const IN_PLACE = { withinPortal: false } as const

/** Props of a read-only field: it looks like text, and stays focusable and copyable, unlike a disabled one. */
export const readOnlyLook = (isReadOnly: boolean) =>
  ({ readOnly: isReadOnly, variant: isReadOnly ? 'filled' : 'default' }) as const
