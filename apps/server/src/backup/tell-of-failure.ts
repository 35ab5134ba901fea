import { join } from 'node:path'
import { pino } from 'pino'
import { tellProvider } from '../alerts/tell-provider.ts'
import type { House } from '../house.ts'
import { runningEmbedded } from '../ports/database/embedded.ts'
import { openDatabase } from '../ports/database/pool.ts'

/** Raises an alert for the provider's staff: a backup failed. Nobody can be told by a server that does not run. Throws when the database cannot be reached. */
export async function tellOfFailure(
  { database, dataDir }: House['config'],
  error: unknown,
  now: () => number,
): Promise<void> {
  const connection = database.url ?? runningEmbedded(join(dataDir, 'postgres'))
  if (connection === undefined) return
  const db = await openDatabase({ connection, appName: 'custodia backup', max: 1 })
  try {
    await tellProvider(
      { db, now, log: pino({ level: 'silent' }) },
      {
        alert_key: 'backup',
        text: 'backup_failed',
        values: { reason: error instanceof Error ? error.message : String(error) },
        alert_severity: 'High',
      },
    )
  } finally {
    await db.close()
  }
}
