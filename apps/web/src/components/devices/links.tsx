import type { ReactNode } from 'react'
import { visible } from '../../ui/visible.ts'
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

export interface NamedPerson {
  device_user_reference: string
  /** Absent: the viewer may not see the person. */
  person_name?: string | undefined
  isInRow?: boolean
}

/** Device user by name, linked; without a name by reference. */
export const PersonName = ({ device_user_reference, person_name, isInRow }: NamedPerson) => (
  <UserLink device_user_reference={device_user_reference} isInRow={isInRow}>
    <span title={visible(device_user_reference)}>{visible(person_name ?? device_user_reference)}</span>
  </UserLink>
)

export interface NamedDevice {
  device_reference: string
  /** Absent: the viewer may not see the device. */
  device_name?: string | undefined
  isInRow?: boolean
}

/** Device by person and model, linked; without a name by the end of its reference. */
export const DeviceName = ({ device_reference, device_name, isInRow }: NamedDevice) => (
  <DeviceLink device_reference={device_reference} isInRow={isInRow}>
    <span title={visible(device_reference)}>{visible(device_name ?? `…${device_reference.slice(-8)}`)}</span>
  </DeviceLink>
)
