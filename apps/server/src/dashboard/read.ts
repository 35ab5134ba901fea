import type { Handler } from '../http/context.ts'
import { countDevices, countDeviceUsers, countVersions } from './store.ts'

/** Counts of the fleet in the groups that the caller may see. */
export function readDashboard(): Handler<'readDashboard'> {
  return ({ caller, read }) =>
    read(async (q) => {
      const scope = { client_id: caller.client_id, groups: caller.access.groups('dashboard:read') }
      return {
        devices: await countDevices(q, scope),
        device_users: await countDeviceUsers(q, scope),
        app_versions: await countVersions(q, scope, 'app_version'),
        os_versions: await countVersions(q, scope, 'os_version'),
      }
    })
}
