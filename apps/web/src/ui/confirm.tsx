import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useFailureText } from '../api/failure-text.ts'
import { useDialog } from './form/use-dialog.ts'
import { Icon } from './icon.tsx'

/** A question before something that cannot be taken back easily. Stays open, with the cause, when the act fails. */
export function Confirm(props: {
  title: string
  confirmLabel: string
  cancelLabel?: string
  /** Closes by itself when it succeeds: `onClose` is not called. */
  onConfirm: () => void | Promise<unknown>
  onClose: () => void
  isDangerous?: boolean
  /** The act would be refused: only the way back is offered. */
  isForbidden?: boolean
  size?: string | number
  /** Texts for failures that need more than the usual one, e.g. what to do about `in_use`. */
  explain?: (error: unknown) => ReactNode
  children: ReactNode
}) {
  const close = useDialog(props.onClose)
  const { t } = useLingui()
  const failureText = useFailureText()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const confirm = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      await props.onConfirm()
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Modal.Root opened onClose={close} size={props.size ?? 'md'} zIndex={400}>
      <Modal.Overlay />
      <Modal.Content>
        {/* A header element would be a second banner, since a drawer may lie below. */}
        <Modal.Header component="div">
          <Modal.Title>{props.title}</Modal.Title>
          <Modal.CloseButton aria-label={t`Close`} />
        </Modal.Header>
        <Modal.Body>
          <Stack gap="md">
            <div>{props.children}</div>
            {failure !== undefined && (
              <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
                <Text size="sm" component="div">
                  {props.explain?.(failure) ?? failureText(failure)}
                </Text>
              </Alert>
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={props.onClose} data-autofocus>
                {props.cancelLabel ?? <Trans>Cancel</Trans>}
              </Button>
              {!props.isForbidden && (
                <Button
                  color={props.isDangerous ? 'red' : undefined}
                  loading={isBusy}
                  onClick={() => void confirm()}
                >
                  {props.confirmLabel}
                </Button>
              )}
            </Group>
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
