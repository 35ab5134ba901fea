import type { Database } from '../ports/database/pool.ts'
import type { Manifest } from './base-backup.ts'

/** Records a backup that ended well. */
export async function insertBackup(
  db: Pick<Database, 'globalWrite'>,
  { began_at, finished_at, database }: Pick<Manifest, 'began_at' | 'finished_at' | 'database'>,
): Promise<void> {
  await db.globalWrite((tx) =>
    tx.query('insert into backups (began_at, ended_at, has_database) values ($1, $2, $3)', [
      began_at,
      finished_at,
      database !== null,
    ]),
  )
}
