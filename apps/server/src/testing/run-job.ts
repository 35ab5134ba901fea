import { join } from 'node:path'
import pg from 'pg'
import { runningEmbedded } from '../ports/database/embedded.ts'
import { until } from './until.ts'

/** Has a job that repeats run now, and not in some minutes: one of the server that runs on a folder. Resolves once it is through. */
export async function runJobNow(dataDir: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: runningEmbedded(join(dataDir, 'postgres')) })
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
