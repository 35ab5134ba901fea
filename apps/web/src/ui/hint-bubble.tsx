import { Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

/** What a hint says, beside what it is about. Loaded with the first hint that is shown. */
export default function HintBubble(props: { anchor: HTMLElement; isOpen: boolean; label: ReactNode }) {
  return <Tooltip target={props.anchor} opened={props.isOpen} label={props.label} multiline maw={280} />
}
