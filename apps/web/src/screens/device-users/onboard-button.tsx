import type { DeviceUser } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Stack } from '@mantine/core'
import { phonesApi } from '../../api/phones-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { fullName } from './full-name.ts'
import { PhoneQueue } from './phone-queue.tsx'
import { inputOf } from './user-input.ts'

/** Offboards a device user, or onboards them again. */
export function OnboardButton({ user }: { user: DeviceUser }) {
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
