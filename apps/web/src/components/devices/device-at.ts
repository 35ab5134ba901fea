import { hasOwnPage } from '@custodia/contract'
import type { LinkTarget } from '../lists/list-definition.ts'

/** Page of a device; a device named like a sibling page uses `?reference=`. */
export const deviceAt = (device_reference: string): LinkTarget =>
  hasOwnPage(device_reference)
    ? { to: '/dashboard/devices/$device_reference', params: { device_reference } }
    : { to: '/dashboard/devices', search: { reference: device_reference } }

/** Positions page of a device. */
export const gpsOfDevice = (device_reference: string): LinkTarget =>
  hasOwnPage(device_reference)
    ? { to: '/dashboard/devices/$device_reference/gps', params: { device_reference } }
    : { to: '/dashboard/devices', search: { reference: device_reference, tab: 'gps' } }
