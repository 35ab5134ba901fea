import type { PayloadType } from '@custodia/contract'
import { STATE_CODES, TYPE_CODES } from '../payload-records/codes.ts'
import type { Tx } from '../ports/database/lease.ts'

/** A reviewed demo recording. */
export interface Reviewed {
  payload_id: number
  payload_reference: string
  group_id: number
}

/** Recordings of a group, the newest first. */
export async function findToReview(
  tx: Tx,
  { group, payload_type }: { group: string; payload_type: PayloadType },
  limit: number,
): Promise<Reviewed[]> {
  const { rows } = await tx.query<Reviewed>(
    `select p.payload_id, p.payload_reference, p.group_id from payloads p join groups g using (client_id, group_id)
     where p.client_id = $1 and g.group_reference = $2 and p.type = $3 and p.state = ${STATE_CODES.Processed}
     order by p.payload_time desc, p.payload_id desc limit $4`,
    [tx.client_id, group, TYPE_CODES[payload_type], limit],
  )
  return rows
}
