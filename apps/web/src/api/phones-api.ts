import { deviceUserEndpoints, fleetEndpoints, numberEndpoints } from '@custodia/contract'
import { DEVICES, DEVICE_USERS } from './after-change.ts'
import { portalClient } from './api.ts'
import { queryOptions } from '@tanstack/react-query'
import { keyOf } from './call-keys.ts'

/** Calls of devices and device users; they load with their pages: `phonesApi.readDevice({ params: { device_reference }, query: {} })`. */
export const phonesApi = portalClient(
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
  queryOptions({
    queryKey: keyOf('readDevice', device_reference),
    queryFn: ({ signal }) => phonesApi.readDevice({ params: { device_reference }, query: {} }, { signal }),
  })

/** Numbers of a device over time. */
export const numbersQuery = (device_reference: string) =>
  queryOptions({
    queryKey: keyOf('readDeviceNumbers', device_reference),
    queryFn: ({ signal }) =>
      phonesApi.readDeviceNumbers({ params: { device_reference }, query: {} }, { signal }),
  })

/** Holders of a device over time. */
export const historyQuery = (device_reference: string) =>
  queryOptions({
    queryKey: keyOf('readDeviceHistory', device_reference),
    queryFn: ({ signal }) =>
      phonesApi.readDeviceHistory({ params: { device_reference }, query: {} }, { signal }),
  })
