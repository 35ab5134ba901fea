import { deviceUserEndpoints, fleetEndpoints, numberEndpoints } from '@custodia/contract'
import { DEVICES, DEVICE_USERS } from './after-change.ts'
import { portalClient } from './api.ts'
import { callQuery } from './call-keys.ts'

/** Calls of devices and device users; they load with their pages: `devicesApi.readDevice({ params: { device_reference }, query: {} })`. */
export const devicesApi = portalClient(
  { ...deviceUserEndpoints, ...fleetEndpoints, ...numberEndpoints },
  {
    createDeviceUser: DEVICE_USERS,
    updateDeviceUser: DEVICE_USERS,
    deleteDeviceUser: ['listDeviceUsers', 'listDevices', 'listGroups', 'readDashboard', 'readLicenses'],
    deactivateDevice: DEVICES,
    blockDevice: DEVICES,
    unblockDevice: DEVICES,
    deleteDevice: ['listDevices', 'listDevicesOfUser', 'readDashboard', 'readLicenses'],
  },
)

/** A device, for its page and its preview. */
export const deviceQuery = (device_reference: string) =>
  callQuery(devicesApi, 'readDevice', { params: { device_reference } })

/** Numbers of a device over time. */
export const numbersQuery = (device_reference: string) =>
  callQuery(devicesApi, 'readDeviceNumbers', { params: { device_reference } })

/** Holders of a device over time. */
export const historyQuery = (device_reference: string) =>
  callQuery(devicesApi, 'readDeviceHistory', { params: { device_reference } })
