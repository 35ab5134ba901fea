import type { ReactNode } from 'react'
import { TextLink } from '../text-link.tsx'
import { deviceAt } from './device-at.ts'

interface LinkProps {
  children: ReactNode
  /** Inside a row of a list, which is the tab stop. */
  isInRow?: boolean | undefined
}

/** Name of a device user, as a link where the viewer may open the page. */
export const UserLink = ({
  device_user_reference,
  ...rest
}: { device_user_reference: string } & LinkProps) => (
  <TextLink
    action="users:read"
    to="/dashboard/devices/users/$device_user_reference"
    params={{ device_user_reference }}
    {...rest}
  />
)

/** Name of a device, as a link where the viewer may open the page. */
export const DeviceLink = ({ device_reference, ...rest }: { device_reference: string } & LinkProps) => (
  <TextLink action="devices:read" {...deviceAt(device_reference)} {...rest} />
)
