import type { DEVICE_SERVICES } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** What a phone can record, as people call it. */
export const SERVICE_NAMES = {
  calls: msg`Calls`,
  interviews: msg`Interviews`,
  gps: msg`GPS`,
  photos: msg`Photos`,
  mms: msg`MMS`,
  rcs: msg`RCS`,
  sms: msg`SMS`,
  videos: msg`Videos`,
} as const satisfies Record<(typeof DEVICE_SERVICES)[number], MessageDescriptor>
