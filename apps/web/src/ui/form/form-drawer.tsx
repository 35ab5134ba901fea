import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Drawer, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import classes from './form-drawer.module.css'
import readOnly from './read-only.module.css'
import { FormSummary } from './form-summary.tsx'
import { DiscardQuestion, LeaveGuard } from './leave-guard.tsx'
import { useDialog } from './use-dialog.ts'
import type { Form } from './use-form.ts'

/**
 * A form of at most eight fields at the right edge of the page. Faults stand in a summary and at their fields; leaving
 * with unsaved changes asks first, whether the drawer closes by state or by address.
 */
export function FormDrawer<Values>(props: {
  title: string
  form: Form<Values>
  onClose: () => void
  /** Reads the record again after a conflict. */
  onReload?: () => void
  submitLabel?: ReactNode
  /** Saving takes something away that other people rely on. */
  isDangerous?: boolean
  /** At the left of the foot, e.g. Delete. */
  actions?: ReactNode
  /** Why nothing can be saved: the fields are shown, the button is not. */
  isReadOnly?: boolean
  /** Saving would be refused; the form itself says why. */
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
    // Portals of React bubble through the form that opened them; only its own submit counts.
    if (event.target === event.currentTarget) form.submit()
  }
  return (
    <Drawer.Root opened onClose={close} position="right" size={props.size ?? 480}>
      <Drawer.Overlay />
      <Drawer.Content>
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
