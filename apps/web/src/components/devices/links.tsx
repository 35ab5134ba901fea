import { useLingui } from '@lingui/react/macro'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { visible } from '../../ui/visible.ts'
import { Fact } from '../facts.tsx'
import type { LinkTarget } from '../lists/list-definition.ts'
import { GroupName } from '../names.tsx'
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

/** Device user, device and group of a device's record. */
export function OwnerFacts({
  row: { device_user_reference = null, device_reference, group },
}: {
  row: { device_user_reference?: string | null; device_reference: string; group: string }
}) {
  const { t } = useLingui()
  return (
    <>
      <Fact label={t`Device user`}>
        {device_user_reference !== null && (
          <UserLink device_user_reference={device_user_reference}>{visible(device_user_reference)}</UserLink>
        )}
      </Fact>
      <Fact label={t`Device`}>
        <DeviceLink device_reference={device_reference}>{visible(device_reference)}</DeviceLink>
      </Fact>
      <Fact label={t`Group`}>
        <GroupName group={group} />
      </Fact>
    </>
  )
}
