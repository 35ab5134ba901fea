import { hasOwnPage } from '@custodia/contract'
import type { LinkTarget } from '../lists/list-definition.ts'

/** The page of a device; one that is called like another page is found by `?reference=`. */
export const deviceAt = (device_reference: string): LinkTarget =>
  hasOwnPage(device_reference)
    ? { to: '/dashboard/devices/$device_reference', params: { device_reference } }
    : { to: '/dashboard/devices', search: { reference: device_reference } }

/** Where a device was: a page of its own, as far as the device has one. */
export const gpsOfDevice = (device_reference: string): LinkTarget =>
  hasOwnPage(device_reference)
    ? { to: '/dashboard/devices/$device_reference/gps', params: { device_reference } }
    : { to: '/dashboard/devices', search: { reference: device_reference, tab: 'gps' } }
