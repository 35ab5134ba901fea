import type { DeviceService } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { IconName } from '../../../ui/icon.tsx'

/** Word and icon of each service that a device can have on (spec section 3). */
export const SERVICE_LOOKS: Readonly<Record<DeviceService, { word: MessageDescriptor; icon: IconName }>> = {
  calls: { word: msg`Calls`, icon: 'phone' },
  interviews: { word: msg`Interviews`, icon: 'microphone' },
  gps: { word: msg`GPS`, icon: 'pin' },
  photos: { word: msg`Photos`, icon: 'image' },
  mms: { word: msg`MMS`, icon: 'messages' },
  rcs: { word: msg`RCS`, icon: 'messages' },
  sms: { word: msg`SMS`, icon: 'message' },
  videos: { word: msg`Videos`, icon: 'video' },
}
