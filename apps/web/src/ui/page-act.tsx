import { Button, type ButtonVariant } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface EntryProps {
  leftSection: ReactNode
  color?: string
  disabled?: boolean
  renderRoot?: (rest: object) => ReactNode
  onClick?: (() => void) | undefined
  children: ReactNode
}

/** How the page's overflow menu draws an action; undefined outside it. The menu's code loads with it. */
export const MenuEntry = createContext<((props: EntryProps) => ReactNode) | undefined>(undefined)

/** One action of a page: an entry in its overflow menu, a button elsewhere. */
export function PageAct(props: {
  icon: IconName
  label: string
  isDangerous?: boolean
  isDisabled?: boolean
  variant?: ButtonVariant
  onClick?: () => void
  to?: LinkProps
}) {
  const { icon, label, to, onClick } = props
  const look = {
    leftSection: <Icon name={icon} size={16} />,
    ...(props.isDangerous && { color: 'red' }),
    ...(props.isDisabled && { disabled: true }),
    ...(to && { renderRoot: (rest: object) => <Link {...rest} {...to} /> }),
  }
  const drawEntry = useContext(MenuEntry)
  if (drawEntry !== undefined) return drawEntry({ ...look, onClick, children: label })
  return (
    <Button {...look} variant={props.variant ?? 'default'} {...(onClick && { onClick })}>
      {label}
    </Button>
  )
}
