import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Drawer, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import classes from './form-drawer.module.css'
import readOnly from './read-only.module.css'
import { DiscardQuestion, FormSummary, LeaveGuard } from './form-summary.tsx'
import { useDialog } from '../use-focus.ts'
import type { Form } from './use-form.ts'

/** Drawer form of at most eight fields. Faults show in a summary and at their fields; leaving with unsaved changes asks first. */
export function FormDrawer<Values>(props: {
  title: string
  form: Form<Values>
  onClose: () => void
  /** Refetches the record after a conflict. */
  onReload?: () => void
  submitLabel?: ReactNode
  /** Saving removes something that other users rely on. */
  isDangerous?: boolean
  /** Left part of the footer, e.g. Delete. */
  actions?: ReactNode
  /** Why the form is read-only: the save button is hidden. */
  isReadOnly?: boolean
  /** Saving is impossible; the form says why. */
  isForbidden?: boolean
  size?: number
  children: ReactNode
}) {
  const { t } = useLingui()
  const { form, onClose } = props
  const { element, isSaving } = form
  const [isAsking, setAsking] = useState(false)
  const close = useDialog(() => (form.hasUnsaved() ? setAsking(true) : onClose()))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // React portals bubble submits through their parent form; only the form's own submit counts.
    if (event.target === event.currentTarget) form.submit()
  }
  return (
    <Drawer.Root opened onClose={close} position="right" size={props.size ?? 480}>
      <Drawer.Overlay />
      <Drawer.Content className={classes.content}>
        <form
          ref={element}
          className={`${classes.form} ${props.isReadOnly ? readOnly.readOnly : ''}`}
          noValidate
          onSubmit={submit}
        >
          <Drawer.Header component="div">
            <Drawer.Title>{props.title}</Drawer.Title>
            <Drawer.CloseButton aria-label={t`Close`} />
          </Drawer.Header>
          <Drawer.Body className={classes.body}>
            <Stack gap="md">
              <FormSummary form={form} onReload={props.onReload} />
              {props.children}
            </Stack>
          </Drawer.Body>
          <Group className={classes.foot} justify="space-between" gap="xs">
            <Group gap="xs">{props.actions}</Group>
            <Group gap="xs" ml="auto">
              <Button variant="default" onClick={close}>
                {props.isReadOnly ? <Trans>Close</Trans> : <Trans>Cancel</Trans>}
              </Button>
              {!props.isReadOnly && (
                <Button
                  type="submit"
                  color={props.isDangerous ? 'red' : undefined}
                  loading={isSaving}
                  disabled={props.isForbidden === true}
                >
                  {props.submitLabel ?? <Trans>Save</Trans>}
                </Button>
              )}
            </Group>
          </Group>
        </form>
        <LeaveGuard form={form} />
        {isAsking && (
          <DiscardQuestion
            onStay={() => setAsking(false)}
            onLeave={() => {
              form.abandon()
              onClose()
            }}
          />
        )}
      </Drawer.Content>
    </Drawer.Root>
  )
}
