import type { ReactNode, Ref } from 'react'
import classes from './field-group.module.css'

/** Fields that belong together, under one name. */
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
