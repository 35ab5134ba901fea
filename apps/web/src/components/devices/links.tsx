import type { ReactNode } from 'react'
import { useMay } from '../../api/use-profile.ts'
import type { LinkTarget } from '../lists/list-definition.ts'
import { PlaceLink } from '../place-link.tsx'
import { deviceAt } from './device-at.ts'

interface Linked {
  children: ReactNode
  /** Inside a row of a list, which is the tab stop. */
  isInRow?: boolean | undefined
}

/** Name of a device user, as a link where the viewer may open the page. */
export const UserLink = (props: { device_user_reference: string } & Linked) => (
  <PermittedLink
    action="users:read"
    to={{
      to: '/dashboard/devices/users/$device_user_reference',
      params: { device_user_reference: props.device_user_reference },
    }}
    isInRow={props.isInRow}
  >
    {props.children}
  </PermittedLink>
)

/** Name of a device, as a link where the viewer may open the page. */
export const DeviceLink = (props: { device_reference: string } & Linked) => (
  <PermittedLink action="devices:read" to={deviceAt(props.device_reference)} isInRow={props.isInRow}>
    {props.children}
  </PermittedLink>
)

function PermittedLink({ action, children, ...link }: { action: string; to: LinkTarget } & Linked) {
  return useMay()(action) ? <PlaceLink {...link}>{children}</PlaceLink> : children
}
