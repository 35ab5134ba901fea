import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Drawer, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { DiscardQuestion } from '../dialog.tsx'
import { useDialog, useFirstField } from '../use-focus.ts'
import { FormSummary, LeaveGuard } from './form-summary.tsx'
import type { Form } from './use-form.ts'
import classes from './form.module.css'

interface DrawerProps<Values> {
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
}

/** Drawer form of at most eight fields. Faults show in a summary and at their fields; leaving with unsaved changes asks first. */
export function FormDrawer<Values>(props: DrawerProps<Values>) {
  const { t } = useLingui()
  const { form, onClose } = props
  const { element } = form
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
          className={`${classes.form} ${props.isReadOnly ? classes.readOnly : ''}`}
          noValidate
          onSubmit={submit}
        >
          <Drawer.Header component="div">
            <Drawer.Title>{props.title}</Drawer.Title>
            <Drawer.CloseButton aria-label={t`Close`} />
          </Drawer.Header>
          <Drawer.Body className={classes.body}>
            <Content>
              <FormSummary form={form} onReload={props.onReload} />
              {props.children}
            </Content>
          </Drawer.Body>
          <DrawerFoot {...props} onClose={close} />
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

/** Mounts with the drawer's content. */
const Content = ({ children }: { children: ReactNode }) => <Stack ref={useFirstField()}>{children}</Stack>

function DrawerFoot<Values>(props: DrawerProps<Values>) {
  return (
    <Group className={classes.foot} justify="space-between" gap="xs">
      <Group gap="xs">{props.actions}</Group>
      <Group gap="xs" ml="auto">
        <Button variant="default" onClick={props.onClose}>
          {props.isReadOnly ? <Trans>Close</Trans> : <Trans>Cancel</Trans>}
        </Button>
        {!props.isReadOnly && (
          <Button
            type="submit"
            color={props.isDangerous ? 'red' : undefined}
            loading={props.form.isSaving}
            disabled={props.isForbidden === true}
          >
            {props.submitLabel ?? <Trans>Save</Trans>}
          </Button>
        )}
      </Group>
    </Group>
  )
}
