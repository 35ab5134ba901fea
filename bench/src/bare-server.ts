import { createServer } from 'node:http'
import pg from 'pg'
import type { Queryable } from '../../apps/server/src/ports/database/lease.ts'

/**
 * The floor of the lists: node:http and pg, and nothing else. The environment names the client and the database role, which is that of the
 * application by default. `answer` resolves to the body for an address.
 */
export function serveBare(name: string, answer: (q: Queryable, url: URL) => Promise<string>): void {
  const { PORT, DATABASE_URL, CLIENT_ID, DATABASE_ROLE = 'custodia_app' } = process.env
  const client_id = Number(CLIENT_ID)
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, application_name: name })
  pool.on('connect', (client) => {
    void client.query(`set role ${DATABASE_ROLE}; set custodia.client_id = '${client_id}'`)
  })
  createServer(async (request, response) => {
    const client = await pool.connect()
    try {
      const q = {
        client_id,
        query: (text: string, values: unknown[] = [], statement?: string) =>
          client.query({ text, values, ...(statement ? { name: statement } : {}) }),
      } as unknown as Queryable
      const text = await answer(q, new URL(request.url ?? '', 'http://floor'))
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    } catch (error) {
      response.writeHead(500).end(String(error))
    } finally {
      client.release()
    }
  }).listen(Number(PORT), '127.0.0.1')
}
