import { Trans, useLingui } from '@lingui/react/macro'
import { Button, CloseButton, Drawer, Group, Title } from '@mantine/core'
import { useSplitter } from '@mantine/hooks'
import type { KeyboardEvent, ReactNode } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { useDialog } from '../../ui/use-focus.ts'
import { useListMemory } from './list-memory.ts'
import classes from './list-view.module.css'

/** Widths in pixels. */
const PANEL = { usual: 400, least: 300, most: 900 }
const LIST = { least: 320 }

const readWidth = (stored: unknown): number =>
  typeof stored === 'number' ? Math.min(PANEL.most, Math.max(PANEL.least, stored)) : PANEL.usual

/** Preview of a row. Wide screens: next to the list, which stays usable; narrow screens: it covers the page. */
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
    <SidePanel label={title} onClose={props.onClose}>
      <Group justify="space-between" wrap="nowrap" className={classes.panelHead}>
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
    </SidePanel>
  )
}

/** Panel next to the list; its width is kept for all lists. */
function SidePanel(props: { label: string; onClose: () => void; children: ReactNode }) {
  const { t } = useLingui()
  const [width, setWidth] = useListMemory('all', 'panel', readWidth)
  const splitter = useSplitter<HTMLElement>({
    panels: [
      { defaultSize: 1, min: `${LIST.least}px` },
      { defaultSize: `${PANEL.usual}px`, min: `${PANEL.least}px`, max: `${PANEL.most}px` },
    ],
    sizes: [1, `${width}px`],
    onSizeChange: ([, panel]) => setWidth(readWidth(Math.round(Number.parseFloat(String(panel))))),
    step: '16px',
    shiftStep: '80px',
    resetOnDoubleClick: false,
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    props.onClose()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- handles keys that bubble from its fields
    <aside
      ref={(panel) => splitter.ref(panel?.parentElement ?? null)}
      className={classes.panel}
      style={{ width }}
      aria-label={props.label}
      onKeyDown={onKeyDown}
    >
      <div {...splitter.getHandleProps({ index: 0 })} className={classes.handle} aria-label={t`Width`} />
      {props.children}
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
