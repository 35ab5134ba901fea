import { hasOwnPage } from '@custodia/contract'
import type { LinkTarget } from '../lists/list-definition.ts'

/** The page of a device; one that is called like another page is found by `?reference=`. */
export const deviceAt = (device_reference: string): LinkTarget =>
  hasOwnPage(device_reference)
    ? { to: '/dashboard/devices/$device_reference', params: { device_reference } }
    : { to: '/dashboard/devices', search: { reference: device_reference } }
