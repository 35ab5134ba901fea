import { Trans } from '@lingui/react/macro'
import { Alert, Button, Group, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { Icon } from '../icon.tsx'
import { FormSummary, LeaveGuard } from './form-summary.tsx'
import type { Form } from './use-form.ts'
import classes from './form.module.css'

/** Full-page form: fields at the left, explanations next to or below them, save button always visible. */
export function FormPage<Values>(props: {
  form: Form<Values>
  /** Refetches the record after a conflict. */
  onReload?: (() => void) | undefined
  onCancel?: () => void
  isReadOnly?: boolean
  /** Why it cannot be changed; absent: the user lacks the permission. */
  readOnlyReason?: ReactNode
  /** At the right on wide screens, below the fields on narrow ones. */
  aside?: ReactNode
  children: ReactNode
}) {
  const { form } = props
  const { element, isSaving, isDirty } = form
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // React portals bubble submits through their parent form; only the form's own submit counts.
    if (event.target === event.currentTarget) form.submit()
  }
  return (
    <div className={props.aside === undefined ? undefined : classes.columns}>
      <form
        ref={element}
        noValidate
        onSubmit={submit}
        className={`${classes.page} ${props.isReadOnly ? classes.readOnly : ''}`}
      >
        <Stack>
          {props.isReadOnly && (
            <Alert color="blue" icon={<Icon name="info" />} p="sm">
              {props.readOnlyReason || <Trans>You can view this but not change it.</Trans>}
            </Alert>
          )}
          <FormSummary form={form} onReload={props.onReload} />
          {props.children}
        </Stack>
        {!props.isReadOnly && (
          <Group className={classes.pageFoot} justify="flex-end" gap="xs">
            {props.onCancel !== undefined && (
              <Button variant="default" onClick={props.onCancel}>
                <Trans>Cancel</Trans>
              </Button>
            )}
            <Button type="submit" loading={isSaving} disabled={!isDirty}>
              <Trans>Save</Trans>
            </Button>
          </Group>
        )}
      </form>
      {props.aside}
      <LeaveGuard form={form} />
    </div>
  )
}
