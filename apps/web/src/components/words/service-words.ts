import type { DEVICE_SERVICES } from '@custodia/contract'
import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

type DeviceService = (typeof DEVICE_SERVICES)[number]

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

/** Names of services for a cell of a list, where all of them would not fit. */
export const serviceNames = (services: readonly DeviceService[], i18n: I18n): string =>
  services.length === Object.keys(SERVICE_WORDS).length
    ? i18n._(msg`All services`)
    : services.map((service) => i18n._(SERVICE_WORDS[service])).join(', ')
