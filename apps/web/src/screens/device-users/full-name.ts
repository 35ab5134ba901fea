import type { DeviceUser } from '@custodia/contract'
import { personName } from '../../components/names.tsx'

/** Name of a device user; the reference without a name. */
export const fullName = (user: DeviceUser): string => personName(user) || user.device_user_reference
