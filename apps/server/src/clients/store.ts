import type { Database } from '../ports/database/pool.ts'

/** Every client of the installation, for work that goes from one to the next. */
export async function listClients(db: Database): Promise<{ client_id: number; client: string }[]> {
  const { rows } = await db.global((q) =>
    q.query<{ client_id: number; client: string }>(
      'select client_id, client from clients order by client_id',
    ),
  )
  return rows
}
