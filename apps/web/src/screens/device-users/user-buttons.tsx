import type { DeviceUser } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/use-profile.ts'
import { EnrolButton } from '../enrolments/enrol-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { OnboardButton } from './onboard-button.tsx'

/** Actions on a device user. */
export default function UserButtons({ user }: { user: DeviceUser }) {
  const may = useMay()
  const { device_user_reference } = user
  return (
    <>
      {user.is_active && may('users.enrolments:create') && <EnrolButton user={user} />}
      {may('account.data_requests:create') && (
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link
              {...props}
              to="/dashboard/services"
              search={
                { tab: 'requests', create: true, about: `DeviceUser/${device_user_reference}` } as never
              }
            />
          )}
        >
          <Trans>Record a request</Trans>
        </Button>
      )}
      {may('users:update') && (
        <>
          <OnboardButton user={user} />
          <Button
            leftSection={<Icon name="pencil" size={16} />}
            renderRoot={(props) => (
              <Link
                {...props}
                to="/dashboard/devices/users/$device_user_reference"
                params={{ device_user_reference }}
                search={{ edit: true }}
              />
            )}
          >
            <Trans>Edit</Trans>
          </Button>
        </>
      )}
    </>
  )
}
