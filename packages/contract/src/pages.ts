/** Devices that have no page under their own name, because another page has it: they are found by `?reference=`. */
const RESERVED: readonly string[] = ['logs', 'metrics', 'users']
export const hasOwnPage = (device_reference: string): boolean => !RESERVED.includes(device_reference)

/** Where the portal shows a device, below `/dashboard`. */
export const devicePath = (device_reference: string): string =>
  hasOwnPage(device_reference)
    ? `/devices/${encodeURIComponent(device_reference)}`
    : `/devices?reference=${encodeURIComponent(device_reference)}`
