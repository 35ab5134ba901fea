import type { DeviceUser, DeviceUserInput } from '@custodia/contract'

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
