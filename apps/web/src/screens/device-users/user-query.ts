import { phonesApi } from '../../api/phones-api.ts'
import { recordQuery } from '../../ui/form/record-query.ts'
import type { DeviceUser, DeviceUserInput } from '@custodia/contract'
import { personName } from '../../components/person-name.ts'

/** A device user, for the drawer and the preview. */
export const userQuery = recordQuery('readDeviceUser', (device_user_reference, options) =>
  phonesApi.readDeviceUser({ params: { device_user_reference }, query: {} }, options),
)

/** Name of a device user; the reference without a name. */
export const fullName = (user: DeviceUser): string => personName(user) || user.device_user_reference

/** API input to edit an existing device user. */
export const inputOf = ({
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
