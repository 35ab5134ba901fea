import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMay } from '../../api/use-profile.ts'
import type { LinkTarget } from '../lists/list-definition.ts'
import { deviceAt } from './device-at.ts'

/** Name of a device user, as a link where the viewer may open the page. */
export const UserLink = (props: { device_user_reference: string; children: ReactNode }) => (
  <PlaceLink
    action="users:read"
    to={{
      to: '/dashboard/devices/users/$device_user_reference',
      params: { device_user_reference: props.device_user_reference },
    }}
  >
    {props.children}
  </PlaceLink>
)

/** Name of a device, as a link where the viewer may open the page. */
export const DeviceLink = (props: { device_reference: string; children: ReactNode }) => (
  <PlaceLink action="devices:read" to={deviceAt(props.device_reference)}>
    {props.children}
  </PlaceLink>
)

function PlaceLink({ action, to, children }: { action: string; to: LinkTarget; children: ReactNode }) {
  if (!useMay()(action)) return children
  return (
    <Anchor underline="always" inherit renderRoot={(props) => <Link {...props} {...to} />}>
      {children}
    </Anchor>
  )
}
