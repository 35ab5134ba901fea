import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import type { LinkTarget } from './lists/list-definition.ts'

/** A click on a link in a row must not reach the row. */
const exclusively = (event: MouseEvent) => event.stopPropagation()

/** A link in running text. `isInRow`: inside a row of a list, which is the tab stop. */
export const PlaceLink = (props: {
  to: LinkTarget
  isInRow?: boolean | undefined
  title?: string | undefined
  children: ReactNode
}) => (
  <Anchor
    underline="always"
    inherit
    title={props.title}
    tabIndex={props.isInRow ? -1 : undefined}
    onClick={props.isInRow ? exclusively : undefined}
    renderRoot={(rest) => <Link {...rest} {...props.to} />}
  >
    {props.children}
  </Anchor>
)
