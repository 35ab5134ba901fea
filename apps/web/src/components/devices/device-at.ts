import { type DeviceTab, hasOwnPage } from '@custodia/contract'
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

/** Address of a list in a tab of a device's page. */
export function deviceTab(device_reference: string, tab: DeviceTab) {
  const { to, params, search } = deviceAt(device_reference)
  return { to, params, part: { ...(search as Record<string, string> | undefined), tab } }
}
