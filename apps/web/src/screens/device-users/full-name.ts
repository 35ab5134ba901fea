import type { DeviceUser } from '@custodia/contract'
import { personName } from '../../components/person-name.ts'

/** What somebody is called; by the reference where no name is known. */
export const fullName = (user: DeviceUser): string => personName(user) || user.device_user_reference
