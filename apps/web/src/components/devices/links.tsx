import { useLingui } from '@lingui/react/macro'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Reference } from '../../ui/reference.tsx'
import { visible } from '../../ui/visible.ts'
import { Fact } from '../facts.tsx'
import type { LinkTarget } from '../lists/list-definition.ts'
import { GroupName } from '../names.tsx'
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

interface NamedPerson {
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

interface NamedDevice {
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

/** A record of a device, with the names that the viewer may see. */
export interface Owned extends Partial<Pick<NamedDevice, 'device_name'> & Pick<NamedPerson, 'person_name'>> {
  device_reference: string | null
  device_user_reference?: string | null
}

/** Device user, device and group of a device's record. */
export function OwnerFacts({ row }: { row: Owned & { device_reference: string; group: string } }) {
  const { t } = useLingui()
  const { device_user_reference = null, person_name, device_reference, device_name, group } = row
  return (
    <>
      <Fact label={t`Device user`}>
        {device_user_reference !== null && <PersonName {...{ device_user_reference, person_name }} />}
      </Fact>
      <Fact label={t`Device`}>
        <DeviceName {...{ device_reference, device_name }} />
      </Fact>
      <Fact label={t`Device reference`}>
        <Reference value={device_reference} length={22} />
      </Fact>
      <Fact label={t`Group`}>
        <GroupName group={group} />
      </Fact>
    </>
  )
}
