import { Trans } from '@lingui/react/macro'
import { Alert, Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from '../icon.tsx'
import { FormSummary, SubmitPending } from './form-summary.tsx'
import type { Form } from './use-form.ts'

/** A short form in a dialog or page section: error above, buttons below. */
export function ShortForm(props: {
  form: Pick<Form<object>, 'element' | 'failure' | 'conflict' | 'isSaving' | 'isWaiting' | 'submit'>
  /** Label of the save button. */
  save: ReactNode
  icon?: ReactNode
  isDangerous?: boolean | undefined
  /** Undefined: no Cancel. */
  onCancel?: () => void
  children: ReactNode
}) {
  const { element, failure, conflict, isSaving, isWaiting, submit } = props.form
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        {isWaiting && <SubmitPending />}
        {/* Complete forms only have conflicts. */}
        {conflict !== undefined && <FormSummary form={props.form as never} />}
        {failure !== undefined && (
          <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
            {failure}
          </Alert>
        )}
        {props.children}
        <Group justify="flex-end" gap="xs">
          {props.onCancel && (
            <Button variant="default" onClick={props.onCancel}>
              <Trans>Cancel</Trans>
            </Button>
          )}
          <Button
            type="submit"
            loading={isSaving}
            color={props.isDangerous ? 'red' : undefined}
            leftSection={props.icon}
          >
            {props.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
