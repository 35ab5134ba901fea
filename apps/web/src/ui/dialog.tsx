import { useLingui } from '@lingui/react/macro'
import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useDialog } from './form/use-return-focus.ts'

/** A dialog over the page. */
export function Dialog(props: {
  title: ReactNode
  onClose: () => void
  size?: 'md' | 'lg' | 'xl'
  children: ReactNode
}) {
  const close = useDialog(props.onClose)
  const { t } = useLingui()
  return (
    <Modal.Root opened onClose={close} size={props.size ?? 'md'}>
      <Modal.Overlay />
      <Modal.Content>
        {/* No header element: it would be a second banner of the page. */}
        <Modal.Header component="div">
          <Modal.Title>{props.title}</Modal.Title>
          <Modal.CloseButton aria-label={t`Close`} />
        </Modal.Header>
        <Modal.Body>{props.children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
