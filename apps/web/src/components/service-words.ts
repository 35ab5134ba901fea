import type { DEVICE_SERVICES } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

type DeviceService = (typeof DEVICE_SERVICES)[number]

/** Labels of services. */
export const SERVICE_WORDS: Readonly<Record<DeviceService, MessageDescriptor>> = {
  calls: msg`Calls`,
  interviews: msg`Interviews`,
  gps: msg`GPS`,
  photos: msg`Photos`,
  mms: msg`MMS`,
  rcs: msg`RCS`,
  sms: msg`SMS`,
  videos: msg`Videos`,
}
