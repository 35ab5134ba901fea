import type { DeviceUser } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { PageMenu } from '../../ui/act-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'

const EnrolDialog = lazy(() => withTexts('lazy', import('../enrolments/enrol-dialog.tsx')))
const UserEntries = lazy(() => import('./user-menu.tsx'))

/** Primary actions on a device user. */
export default function UserButtons({ user }: { user: DeviceUser }) {
  const may = useMay()
  const { device_user_reference } = user
  const [isEnrolling, setEnrolling] = useState(false)
  return (
    <>
      {user.is_active && may('users.enrolments:create') && (
        <Button
          variant="default"
          leftSection={<Icon name="qr" size={16} />}
          onClick={() => setEnrolling(true)}
        >
          <Trans>Enrol a phone</Trans>
        </Button>
      )}
      <Suspense>{isEnrolling && <EnrolDialog user={user} onClose={() => setEnrolling(false)} />}</Suspense>
      {may('users:update') && (
        <LinkButton
          leftSection={<Icon name="pencil" size={16} />}
          to="/dashboard/devices/users/$device_user_reference"
          params={{ device_user_reference }}
          search={{ edit: true }}
        >
          <Trans>Edit</Trans>
        </LinkButton>
      )}
    </>
  )
}

/** Further actions on a device user. */
export const UserActs = ({ user }: { user: DeviceUser }) => (
  <PageMenu>
    <UserEntries user={user} />
  </PageMenu>
)
