import pg from 'pg'
import { until } from './until.ts'

/** Runs a repeating job now and waits until it is completed. `connection` is that of the database of a running server. */
export async function runJobNow(connection: string, name: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string }>(
      'insert into pgboss.job (name, data) values ($1, $2) returning id',
      [name, {}],
    )
    await until(
      `the job ${name}`,
      async () => {
        const found = await client.query<{ state: string }>('select state from pgboss.job where id = $1', [
          rows[0]?.id,
        ])
        return found.rows[0]?.state
      },
      (state) => state === 'completed',
      { seconds: 90, everyMs: 250 },
    )
  } finally {
    await client.end()
  }
}
