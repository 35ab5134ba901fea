import type { DeviceUser } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/use-profile.ts'
import { EnrolButton } from '../enrolments/enrol-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageMenu } from '../../ui/page-menu.tsx'
import { phonesApi } from '../../api/phones-api.ts'
import { PageAct } from '../../ui/page-act.tsx'
import { HoldAct } from '../legal-holds/hold-act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { fullName, inputOf } from './user.tsx'
import { PhoneQueue } from './phone-queue.tsx'

/** Primary actions on a device user. */
export default function UserButtons({ user }: { user: DeviceUser }) {
  const may = useMay()
  const { device_user_reference } = user
  return (
    <>
      {user.is_active && may('users.enrolments:create') && <EnrolButton user={user} />}
      {may('users:update') && (
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
      )}
    </>
  )
}

/** Further actions on a device user, in the page's menu. */
export function UserActs({ user }: { user: DeviceUser }) {
  const { t } = useLingui()
  const may = useMay()
  const { device_user_reference } = user
  return (
    <PageMenu>
      <HoldAct subject={{ target_type: 'DeviceUser', target: device_user_reference, name: fullName(user) }} />
      {may('account.data_requests:create') && (
        <PageAct
          icon="message"
          label={t`Record a request`}
          to={{
            to: '/dashboard/governance/requests',
            search: { create: true, about: `DeviceUser/${device_user_reference}` } as never,
          }}
        />
      )}
      {may('users:update') && <OnboardButton user={user} />}
    </PageMenu>
  )
}

/** Offboards a device user, or onboards them again. */
function OnboardButton({ user }: { user: DeviceUser }) {
  const { t } = useLingui()
  const { device_user_reference, version } = user
  const mayQueue = useMay()('users.queue:read')
  const name = fullName(user)
  const save = (is_active: boolean) => () =>
    phonesApi.updateDeviceUser(
      { params: { device_user_reference }, query: {}, body: { ...inputOf(user), is_active } },
      { if_match: version },
    )
  return user.is_active ? (
    <ActButton
      action="users:update"
      icon="sign-out"
      label={t`Offboard`}
      question={t`Offboard ${name}?`}
      done={t`${name} offboarded`}
      onAct={save(false)}
    >
      <Stack gap="sm">
        <Trans>Their phones stop recording but still upload. Recordings stay.</Trans>
        {mayQueue && <PhoneQueue device_user_reference={device_user_reference} />}
      </Stack>
    </ActButton>
  ) : (
    <ActButton
      action="users:update"
      icon="check"
      label={t`Onboard again`}
      question={t`Onboard ${name} again?`}
      done={t`${name} onboarded`}
      onAct={save(true)}
    >
      <Trans>Their phones record again after the next authentication.</Trans>
    </ActButton>
  )
}
