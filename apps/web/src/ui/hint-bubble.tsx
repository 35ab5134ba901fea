import { Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

/** Tooltip bubble; loads with the first tooltip. */
export default function HintBubble(props: { anchor: HTMLElement; isOpen: boolean; label: ReactNode }) {
  return <Tooltip target={props.anchor} opened={props.isOpen} label={props.label} multiline maw={280} />
}
