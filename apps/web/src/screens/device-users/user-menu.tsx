import type { DeviceUser } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Stack } from '@mantine/core'
import { devicesApi } from '../../api/devices-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { PageAct } from '../../ui/page-act.tsx'
import { HoldAct } from '../legal-holds/hold-act.tsx'
import { DeviceQueue } from './device-queue.tsx'
import { fullName, getInput } from './user.tsx'

/** Entries of a device user's menu. */
export default function UserEntries({ user }: { user: DeviceUser }) {
  const { t } = useLingui()
  const may = useMay()
  const { device_user_reference } = user
  return (
    <>
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
    </>
  )
}

/** Offboards a device user, or onboards them again. */
function OnboardButton({ user }: { user: DeviceUser }) {
  const { t } = useLingui()
  const { device_user_reference, version } = user
  const mayQueue = useMay()('users.queue:read')
  const name = fullName(user)
  const save = (is_active: boolean) => () =>
    devicesApi.updateDeviceUser(
      { params: { device_user_reference }, query: {}, body: { ...getInput(user), is_active } },
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
        {mayQueue && <DeviceQueue device_user_reference={device_user_reference} />}
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
