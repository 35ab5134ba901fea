/**
 * The floor of the measurements of the fleet: node:http and pg with the server's own statements for devices, device users and the counts of
 * the dashboard, and nothing else: no token, no rights, no checks, no audit entry.
 */
import { PAGE_DEFAULT } from '@custodia/contract'
import { readFleetCounts } from '../../apps/server/src/dashboard/store.ts'
import { listUsers, told as toldOfUser } from '../../apps/server/src/device-users/store.ts'
import { listDevices, told as toldOfDevice } from '../../apps/server/src/devices/fleet/fleet-store.ts'
import type { Queryable } from '../../apps/server/src/ports/database/lease.ts'
import { serveBare } from './bare-server.ts'

const page = { after: '', limit: PAGE_DEFAULT + 1 }
const everything = { reach: 'all', now: Math.floor(Date.now() / 1000) } as const

serveBare('fleet-floor', async (q, { pathname }) => {
  if (pathname === '/dashboard') return JSON.stringify(await readFleetCounts(q, 'all'))
  return JSON.stringify({ data: (await rowsOf(q, pathname)).slice(0, PAGE_DEFAULT) })
})

async function rowsOf(q: Queryable, pathname: string): Promise<object[]> {
  if (pathname === '/users') return (await listUsers(q, everything, page)).map(toldOfUser)
  return (await listDevices(q, everything, page)).map(toldOfDevice)
}
