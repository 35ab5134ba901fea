import { STATE_CODES } from '../payload-records/codes.ts'
import type { Queryable } from '../ports/database/lease.ts'

/** A recording in the sample that a user opens before they accept a run. */
export interface Sampled {
  payload_reference: string
  is_processed: boolean
}

/** The sample of a run. */
export async function findSampled(q: Queryable, migration_reference: string): Promise<Sampled[]> {
  const { rows } = await q.query<Sampled>(
    `select p.payload_reference, p.state = ${STATE_CODES.Processed} as is_processed
     from migration_samples s join payloads p using (client_id, payload_id)
     where s.client_id = $1 and s.migration_reference = $2 order by s.position`,
    [q.client_id, migration_reference],
  )
  return rows
}
