/**
 * The floor of the ingest measurements: the same bytes hashed, written, synced with their folder and inserted, and nothing else: no
 * announcement, no token, no audit entry, no processing.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import pg from 'pg'

const { PORT, DATABASE_URL, FOLDER = '' } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, application_name: 'ingest-floor' })
await pool.query(
  'create table if not exists floor (reference text primary key, checksum text not null, size bigint not null)',
)

createServer(async (request, response) => {
  const reference = (request.url ?? '').slice(1)
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (reference === 'health') return void response.end()
    const bytes = Buffer.concat(chunks)
    const checksum = createHash('sha256').update(bytes).digest('hex')
    await keep(join(FOLDER, reference, 'original'), bytes)
    await pool.query({
      name: 'insert',
      text: 'insert into floor values ($1, $2, $3)',
      values: [reference, checksum, bytes.length],
    })
    response.end()
  } catch (error) {
    response.writeHead(500).end(String(error))
  }
}).listen(Number(PORT), '127.0.0.1')

async function keep(path: string, bytes: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const file = await open(`${path}.part`, 'wx')
  await file.writeFile(bytes)
  await file.sync()
  await file.close()
  await rename(`${path}.part`, path)
  for (const folder of [dirname(path), dirname(dirname(path))]) await sync(folder)
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync()
  await handle.close()
}
