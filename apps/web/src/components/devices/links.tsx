import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { useMay } from '../../api/use-profile.ts'
import type { LinkTarget } from '../lists/list-definition.ts'
import { deviceAt } from './device-at.ts'

interface Linked {
  children: ReactNode
  /** Inside a row of a list, which is the tab stop. */
  isInRow?: boolean | undefined
}

/** Name of a device user, as a link where the viewer may open the page. */
export const UserLink = (props: { device_user_reference: string } & Linked) => (
  <PlaceLink
    action="users:read"
    to={{
      to: '/dashboard/devices/users/$device_user_reference',
      params: { device_user_reference: props.device_user_reference },
    }}
    isInRow={props.isInRow}
  >
    {props.children}
  </PlaceLink>
)

/** Name of a device, as a link where the viewer may open the page. */
export const DeviceLink = (props: { device_reference: string } & Linked) => (
  <PlaceLink action="devices:read" to={deviceAt(props.device_reference)} isInRow={props.isInRow}>
    {props.children}
  </PlaceLink>
)

/** A click on a link in a row must not reach the row. */
const exclusively = (event: MouseEvent) => event.stopPropagation()

function PlaceLink({ action, to, isInRow = false, children }: { action: string; to: LinkTarget } & Linked) {
  if (!useMay()(action)) return children
  return (
    <Anchor
      underline="always"
      inherit
      tabIndex={isInRow ? -1 : undefined}
      onClick={isInRow ? exclusively : undefined}
      renderRoot={(props) => <Link {...props} {...to} />}
    >
      {children}
    </Anchor>
  )
}
