import type { ReactNode, Ref } from 'react'
import classes from './form.module.css'

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
