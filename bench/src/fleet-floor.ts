/**
 * The floor of the measurements of the fleet: node:http and pg with the server's own statements for devices, device users and the counts of
 * the dashboard, and nothing else: no token, no rights, no checks, no audit entry. The groups of the restricted person are part of its address.
 */
import { PAGE_DEFAULT } from '@custodia/contract'
import { readFleetCounts } from '../../apps/server/src/dashboard/store.ts'
import { countUsers, listUsers, told as toldOfUser } from '../../apps/server/src/device-users/store.ts'
import {
  countDevices,
  listDevices,
  told as toldOfDevice,
} from '../../apps/server/src/devices/fleet/fleet-store.ts'
import { soughtNumber } from '../../apps/server/src/devices/fleet/sought-number.ts'
import { serveBare } from './bare-server.ts'

const page = { after: '', limit: PAGE_DEFAULT + 1 }

serveBare('fleet-floor', async (q, { pathname, searchParams }) => {
  const ids = searchParams.get('ids')?.split('.').map(Number)
  const reach = ids ?? ('all' as const)
  if (pathname === '/dashboard') return JSON.stringify(await readFleetCounts(q, reach))
  const number = searchParams.get('number')
  const filter = {
    reach,
    now: Math.floor(Date.now() / 1000),
    number: number === null ? undefined : soughtNumber(number),
  }
  const isUsers = pathname === '/users'
  if (searchParams.get('type') === 'total')
    return JSON.stringify({ total: await (isUsers ? countUsers(q, { reach }) : countDevices(q, filter)) })
  const rows: object[] = isUsers
    ? (await listUsers(q, { reach }, page)).map((user) => toldOfUser(user, true))
    : (await listDevices(q, filter, page)).map((device) => toldOfDevice(device, true))
  return JSON.stringify({ data: rows.slice(0, PAGE_DEFAULT) })
})
