/** References that collide with other pages; the portal opens these devices by `?reference=`. */
const RESERVED: readonly string[] = ['completeness', 'logs', 'metrics', 'users']
export const hasOwnPage = (device_reference: string): boolean => !RESERVED.includes(device_reference)

/** Tabs of a device's page other than its overview (`?tab=`), and the permission that each needs. */
export const DEVICE_TABS = {
  recordings: 'devices.payloads:list',
  threads: 'devices.sms:list',
  commands: 'devices.commands:list',
  logs: 'devices.logs:list',
  gps: 'devices.gps:list',
  telemetry: 'devices.telemetry:list',
  reports: 'devices.telemetry:list',
} as const
export type DeviceTab = keyof typeof DEVICE_TABS

/** As `DEVICE_TABS`, for the page of a device user. */
export const USER_TABS = {
  recordings: 'users.payloads:list',
  capture: 'users.capture_gaps:list',
  logs: 'users.logs:list',
  gps: 'users.gps:list',
} as const
export type UserTab = keyof typeof USER_TABS

/** As `DEVICE_TABS`, for the list of devices in the reader's groups. */
export const FLEET_TABS = {
  enrolments: 'devices.enrolments:list',
  commands: 'commands:list',
  telemetry: 'telemetry:list',
  capture: 'capture_gaps:list',
  map: 'gps:list',
} as const
export type FleetTab = keyof typeof FLEET_TABS

/** The tab of a page that belongs to an action. */
export function getTab<Tab extends string>(
  tabs: Readonly<Record<Tab, string>>,
  action: string,
): Tab | undefined {
  const noun = (name: string) => name.split(':')[0]
  return (Object.keys(tabs) as Tab[]).find((tab) => noun(tabs[tab]) === noun(action))
}

/** Portal path of a device, below `/dashboard`. */
export const devicePath = (device_reference: string): string =>
  hasOwnPage(device_reference)
    ? `/devices/${encodeURIComponent(device_reference)}`
    : `/devices?reference=${encodeURIComponent(device_reference)}`
