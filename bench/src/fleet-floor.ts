/**
 * The floor of the measurements of the fleet: node:http and pg with the server's own statements for devices, device users and the counts of
 * the dashboard, and nothing else: no token, no rights, no checks, no audit entry.
 */
import { createServer } from 'node:http'
import { PAGE_DEFAULT } from '@custodia/contract'
import pg from 'pg'
import { readFleetCounts } from '../../apps/server/src/dashboard/store.ts'
import { listUsers, told as toldOfUser } from '../../apps/server/src/device-users/store.ts'
import { listDevices, told as toldOfDevice } from '../../apps/server/src/devices/fleet/fleet-store.ts'
import type { Queryable } from '../../apps/server/src/ports/database/lease.ts'

const { PORT, DATABASE_URL, CLIENT_ID } = process.env
const client_id = Number(CLIENT_ID)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, application_name: 'fleet-floor' })
pool.on('connect', (client) => {
  void client.query(`set role custodia_app; set custodia.client_id = '${client_id}'`)
})
const page = { after: '', limit: PAGE_DEFAULT + 1 }
const everything = { reach: 'all', now: Math.floor(Date.now() / 1000) } as const

createServer(async (request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://floor')
  const client = await pool.connect()
  try {
    const q = {
      client_id,
      query: (text: string, values: unknown[] = [], name?: string) =>
        client.query({ text, values, ...(name ? { name } : {}) }),
    } as unknown as Queryable
    const answer =
      pathname === '/dashboard'
        ? await readFleetCounts(q, 'all')
        : { data: (await rowsOf(q, pathname)).slice(0, PAGE_DEFAULT) }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  } catch (error) {
    response.writeHead(500).end(String(error))
  } finally {
    client.release()
  }
}).listen(Number(PORT), '127.0.0.1')

async function rowsOf(q: Queryable, pathname: string): Promise<object[]> {
  if (pathname === '/users') return (await listUsers(q, everything, page)).map(toldOfUser)
  return (await listDevices(q, everything, page)).map(toldOfDevice)
}
