import type { PayloadType } from '@custodia/contract'
import { serviceCodeOf, TYPE_CODES } from '../payload-records/codes.ts'
import type { Database } from '../ports/database/pool.ts'

/** What a payload is counted by; its time in epoch seconds. */
interface Counted {
  client_id: number
  group_id: number
  payload_type: PayloadType
  payload_time: number
}

/** Counts a payload as its announcement would have: in its day and its month, for its group and for the whole client. */
export async function countPayload(
  { owner }: Pick<Database, 'owner'>,
  { client_id, group_id, payload_type, payload_time }: Counted,
): Promise<void> {
  const [service, type] = [serviceCodeOf(payload_type), TYPE_CODES[payload_type]]
  const at = new Date(payload_time * 1000)
  for (const [grain, bucket] of [
    ['d', payload_time - (payload_time % 86_400)],
    ['m', Date.UTC(at.getUTCFullYear(), at.getUTCMonth()) / 1000],
  ]) {
    await owner.query(
      `insert into payload_counts values ($1, $2, $3, $4, $5, $6, 1)
       on conflict (client_id, grain, service, group_id, type, bucket) do update set count = payload_counts.count + 1`,
      [client_id, grain, bucket, service, type, group_id],
    )
    await owner.query(
      `insert into payload_totals values ($1, $2, $3, $4, $5, $6, 1)
       on conflict (client_id, grain, service, bucket, type, slot) do update set count = payload_totals.count + 1`,
      [client_id, grain, bucket, service, type, group_id % 2],
    )
  }
}
