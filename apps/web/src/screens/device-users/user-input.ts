import type { DeviceUser, DeviceUserInput } from '@custodia/contract'

/** What a save takes of somebody who is known. */
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
