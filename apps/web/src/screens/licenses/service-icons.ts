import type { DeviceService } from '@custodia/contract'
import type { IconName } from '../../ui/icon.tsx'

/** Icon of each service that a device can have on (spec section 3). */
export const SERVICE_ICONS: Readonly<Record<DeviceService, IconName>> = {
  calls: 'phone',
  interviews: 'microphone',
  gps: 'pin',
  photos: 'image',
  mms: 'messages',
  rcs: 'messages',
  sms: 'message',
  videos: 'video',
}
