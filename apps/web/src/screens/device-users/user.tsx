import type { DeviceUser, DeviceUserInput } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { devicesApi } from '../../api/devices-api.ts'
import { recordQuery } from '../../api/queries.ts'
import { personName } from '../../components/names.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Name of a device user; the reference without a name. */
export const fullName = (user: DeviceUser): string => personName(user) || user.device_user_reference

/** API input to edit an existing device user. */
export const getInput = ({
  group,
  services,
  expected_device_count,
  email,
  first_name,
  surname,
  is_active,
}: DeviceUserInput | DeviceUser): DeviceUserInput => ({
  group,
  services,
  expected_device_count,
  email,
  first_name,
  surname,
  is_active,
})

/** A device user, for the drawer and the preview. */
export const userQuery = recordQuery('readDeviceUser', (device_user_reference, options) =>
  devicesApi.readDeviceUser({ params: { device_user_reference }, query: {} }, options),
)

/** Whether a person is recorded, as icon, word and colour. */
export function UserState({ user }: { user: Pick<DeviceUser, 'is_active'> }) {
  const { t } = useLingui()
  return user.is_active ? (
    <Badge color="teal" leftSection={<Icon name="check" size={13} />}>
      {t({ context: 'person', message: 'Onboarded' })}
    </Badge>
  ) : (
    <Badge color="gray" leftSection={<Icon name="sign-out" size={13} />}>
      {t({ context: 'person', message: 'Offboarded' })}
    </Badge>
  )
}
