import { Trans, useLingui } from '@lingui/react/macro'
import { Button, CloseButton, Drawer, Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useDialog } from '../../ui/use-focus.ts'
import { Icon } from '../../ui/icon.tsx'
import classes from './preview-panel.module.css'

/** Preview of a row. Wide screens: the list stays usable and j/k move with the preview; narrow screens: it covers the page. */
export default function PreviewPanel(props: {
  isNarrow: boolean
  /** Title; absent: "Preview". */
  title: string | undefined
  onClose: () => void
  /** Undefined when the row is not loaded. */
  onOpen: (() => void) | undefined
  children: ReactNode
}) {
  const { t } = useLingui()
  const title = props.title ?? t`Preview`
  const open = props.onOpen !== undefined && (
    <Button size="xs" leftSection={<Icon name="arrow-right" size={15} />} onClick={props.onOpen}>
      <Trans>Open</Trans>
    </Button>
  )
  if (props.isNarrow) {
    return (
      <Sheet onClose={props.onClose}>
        <Drawer.Overlay />
        <Drawer.Content aria-label={title} radius="lg">
          <Drawer.Header component="div">
            <Drawer.Title>{title}</Drawer.Title>
            <Drawer.CloseButton aria-label={t`Close the preview`} />
          </Drawer.Header>
          <Drawer.Body>
            {props.children}
            <Group mt="md">{open}</Group>
          </Drawer.Body>
        </Drawer.Content>
      </Sheet>
    )
  }
  return (
    <aside className={classes.panel} aria-label={title}>
      <Group justify="space-between" wrap="nowrap" className={classes.head}>
        <Title order={2} size="h4" lineClamp={2} title={title}>
          {title}
        </Title>
        <Group gap={6} wrap="nowrap">
          {open}
          <CloseButton aria-label={t`Close the preview`} onClick={props.onClose} />
        </Group>
      </Group>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard */}
      <section className={classes.content} tabIndex={0} aria-label={t`Details`}>
        {props.children}
      </section>
    </aside>
  )
}

function Sheet({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const close = useDialog(onClose)
  return (
    <Drawer.Root opened onClose={close} position="bottom" size="80%">
      {children}
    </Drawer.Root>
  )
}
