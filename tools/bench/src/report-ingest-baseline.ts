/**
 * The floor of what phones report: each batch inserted, item by item under its name, and nothing else: no token, nothing opened or sealed, no
 * audit entry, no list of it.
 */
import { createServer } from 'node:http'
import pg from 'pg'

const { PORT, DATABASE_URL } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, application_name: 'report-ingest-floor' })
await pool.query(
  'create table if not exists floor_reports (name text primary key, iv text not null, meta text not null)',
)

interface Batch {
  points?: { gps_reference: string; iv: string; meta: string }[]
  telemetry?: { telemetry_id: string; iv: string; meta: string }[]
}

createServer(async (request, response) => {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method === 'GET') return void response.end()
    const { points, telemetry } = JSON.parse(Buffer.concat(chunks).toString()) as Batch
    const rows = [
      ...(points ?? []).map(({ gps_reference: name, iv, meta }) => ({ name, iv, meta })),
      ...(telemetry ?? []).map(({ telemetry_id: name, iv, meta }) => ({ name, iv, meta })),
    ]
    await pool.query({
      name: 'insert',
      text: `insert into floor_reports select * from jsonb_to_recordset($1::jsonb) as (name text, iv text, meta text)`,
      values: [JSON.stringify(rows)],
    })
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ rows: rows.map(() => ({ status: 'stored' })) }))
  } catch (error) {
    response.writeHead(500).end(String(error))
  }
}).listen(Number(PORT), '127.0.0.1')
