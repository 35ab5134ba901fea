import { fleetActEndpoints } from '@custodia/contract'
import { COMMANDS, DEVICES, DEVICE_USERS, ENROLMENTS } from './after-change.ts'
import { portalClient } from './api.ts'

/** Acts on several devices or device users, which load with their dialogs. */
export const fleetActsApi = portalClient(fleetActEndpoints, {
  sendCommands: COMMANDS,
  deactivateDevices: DEVICES,
  changeDeviceUsers: DEVICE_USERS,
  reviewDeviceUserChanges: [],
  enrolUsers: ENROLMENTS,
})
