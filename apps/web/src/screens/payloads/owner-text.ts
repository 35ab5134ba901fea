import type { Payload } from '@custodia/contract'
import { visible } from '../../ui/visible.ts'

type OwnedRecording = Pick<
  Payload,
  'person_name' | 'device_user_reference' | 'device_model' | 'device_reference'
>

/** Device user by name, else the device by model; without a name by reference. */
export const ownerText = (row: OwnedRecording): string =>
  visible(row.person_name ?? row.device_user_reference ?? row.device_model ?? row.device_reference)
