/**
 * The floor of the measurements of the fleet: node:http and pg with the server's own statements for devices, device users and the counts of
 * the dashboard, and nothing else: no token, no checks, no audit entry. The address holds the role of the person.
 */
import { PAGE_DEFAULT } from '@custodia/contract'
import { mayKnowHolds } from '../../../apps/server/src/access/holds.ts'
import { readFleetCounts } from '../../../apps/server/src/device-records/counts-store.ts'
import { searchNumber } from '../../../apps/server/src/device-records/names-store.ts'
import {
  countUsers,
  listUsers,
  toResponse as resultOfUser,
} from '../../../apps/server/src/device-users/store.ts'
import {
  countDevices,
  listDevices,
  toResponse as resultOfDevice,
} from '../../../apps/server/src/devices/fleet/fleet-store.ts'
import { accessOfRole, serveBare } from './server.ts'

const page = { from: undefined, limit: PAGE_DEFAULT + 1 }

serveBare('fleet-floor', async (q, { pathname, searchParams }) => {
  const access = await accessOfRole(q, searchParams.get('role') ?? '')
  if (pathname === '/dashboard')
    return JSON.stringify(await readFleetCounts(q, access.groups('dashboard:read')))
  const isUsers = pathname === '/users'
  const reach = access.groups(isUsers ? 'users:list' : 'devices:list')
  const knows_holds = mayKnowHolds(access)
  const number = searchParams.get('number')
  const filter = {
    reach,
    now: Math.floor(Date.now() / 1000),
    number: number === null ? undefined : searchNumber(number),
  }
  if (searchParams.get('type') === 'total')
    return JSON.stringify({ total: await (isUsers ? countUsers(q, { reach }) : countDevices(q, filter)) })
  const rows: object[] = isUsers
    ? (await listUsers(q, { reach }, page)).map(({ sort_value: _sorted, ...user }) =>
        resultOfUser(user, knows_holds),
      )
    : (await listDevices(q, filter, page)).map(({ sort_value: _sorted, ...device }) =>
        resultOfDevice(device, knows_holds),
      )
  return JSON.stringify({ data: rows.slice(0, PAGE_DEFAULT) })
})
