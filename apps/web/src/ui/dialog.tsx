import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { useFailureText } from '../api/failure-text.ts'
import { Icon } from './icon.tsx'
import { useDialog, useFirstField } from './use-focus.ts'

/** Confirmation of an action that is hard to undo. Stays open with the cause when the action fails. */
export function Confirm(props: {
  title: string
  confirmLabel: string
  cancelLabel?: string
  /** Closes by itself on success, without `onClose`. */
  onConfirm: () => void | Promise<unknown>
  onClose: () => void
  isDangerous?: boolean
  /** The action is impossible: only Cancel is offered. */
  isForbidden?: boolean
  size?: string | number
  /** Texts of failures that need advice, e.g. for `in_use`. */
  explain?: (error: unknown) => ReactNode
  children: ReactNode
}) {
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
    <Dialog title={props.title} onClose={props.onClose} size={props.size} zIndex={400}>
      <Stack>
        <div>{props.children}</div>
        {failure !== undefined && (
          <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
            <Text size="sm" component="div">
              {props.explain?.(failure) ?? failureText(failure)}
            </Text>
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onClose} data-otherwise-focused>
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
    </Dialog>
  )
}

/** 'Leave without saving?' */
export function DiscardQuestion(props: { onStay: () => void; onLeave: () => void }) {
  const { t } = useLingui()
  return (
    <Confirm
      title={t`Leave without saving?`}
      confirmLabel={t`Discard changes`}
      cancelLabel={t`Keep editing`}
      onConfirm={props.onLeave}
      onClose={props.onStay}
      isDangerous
    >
      <Text>
        <Trans>You have unsaved changes.</Trans>
      </Text>
    </Confirm>
  )
}

/** Mounts with the dialog's content. `onText` gets a field of several lines when a person types into it. */
function Content(props: { onText: (field: HTMLTextAreaElement) => void; children: ReactNode }) {
  return (
    <div
      ref={useFirstField()}
      onInput={({ target }) => target instanceof HTMLTextAreaElement && props.onText(target)}
    >
      {props.children}
    </div>
  )
}

/** A dialog over the page. A key or click that closes it does not discard a typed text without a question. */
export function Dialog(props: {
  title: ReactNode
  onClose: () => void
  size?: string | number | undefined
  /** Above a drawer. */
  zIndex?: number
  children: ReactNode
}) {
  const typed = useRef<HTMLTextAreaElement>(null)
  const [isAsking, setAsking] = useState(false)
  const close = useDialog(() => {
    const hasText = typed.current?.isConnected && typed.current.value.trim() !== ''
    return hasText ? setAsking(true) : props.onClose()
  })
  const { t } = useLingui()
  return (
    <Modal.Root
      opened
      onClose={close}
      size={props.size ?? 'md'}
      {...(props.zIndex && { zIndex: props.zIndex })}
    >
      <Modal.Overlay />
      <Modal.Content>
        {/* No header element: it would be a second banner of the page. */}
        <Modal.Header component="div">
          <Modal.Title>{props.title}</Modal.Title>
          <Modal.CloseButton aria-label={t`Close`} />
        </Modal.Header>
        <Modal.Body>
          <Content onText={(field) => (typed.current = field)}>{props.children}</Content>
          {isAsking && <DiscardQuestion onStay={() => setAsking(false)} onLeave={props.onClose} />}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
