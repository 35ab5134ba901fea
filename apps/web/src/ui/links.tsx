import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

/** Properties of a component that draws a link: its own and those of `<a>`. */
export type NativeLink<Own> = Own & Omit<ComponentProps<'a'>, keyof Own>

/** A link to a page of the portal. */
export const LinkAnchor = createLink((props: NativeLink<AnchorProps>) => <Anchor {...props} />)

/** A link that looks like a button. */
export const LinkButton = createLink((props: NativeLink<ButtonProps>) => <Button component="a" {...props} />)
