import pg from 'pg'
import { START_PATIENCE } from './connect.ts'

/** Server settings without which a power cut loses or tears confirmed writes. */
const NEEDED = ['fsync', 'full_page_writes']

/**
 * Refuses a database server that may lose confirmed writes, because devices delete their copy on
 * confirmation. `isUnsafe` only logs it.
 */
export async function assertDurable(
  connection: string,
  isUnsafe: boolean,
  warn: (message: string) => void,
): Promise<void> {
  const client = new pg.Client({
    connectionString: connection,
    application_name: 'custodia start',
    connectionTimeoutMillis: START_PATIENCE,
    query_timeout: START_PATIENCE,
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select name from pg_settings where name = any($1) and setting = 'off' order by name`,
      [NEEDED],
    )
    if (rows.length === 0) return
    const fault = `DATABASE_URL: the server runs with ${rows.map(({ name }) => `${name} = off`).join(' and ')}, so that a power cut loses uploads that were confirmed to devices`
    if (!isUnsafe) throw new Error(`${fault}; turn it on.`)
    warn(`${fault}; DATABASE_UNSAFE accepts that.`)
  } finally {
    await client.end()
  }
}
