import { Anchor, type AnchorProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { useMay } from '../api/use-profile.ts'
import type { NativeLink } from '../ui/links.tsx'

/**
 * A link in running text.
 * @param action the permission to open its page; without it, only the text
 * @param isInRow inside a row of a list: the row is the tab stop, and a click must not reach it
 */
export const TextLink = createLink(function TextAnchor({
  action,
  isInRow = false,
  children,
  ...props
}: NativeLink<AnchorProps> & { action?: string; isInRow?: boolean | undefined }) {
  const may = useMay()
  if (action !== undefined && !may(action)) return children
  const inRow = {
    tabIndex: -1,
    onClick: (event: MouseEvent<HTMLAnchorElement>) => {
      event.stopPropagation()
      props.onClick?.(event)
    },
  }
  return (
    <Anchor inherit underline="always" {...props} {...(isInRow && inRow)}>
      {children}
    </Anchor>
  )
})
