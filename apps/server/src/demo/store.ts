import type { PayloadType } from '@custodia/contract'
import { STATE_CODES, TYPE_CODES } from '../payload-records/codes.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** Stores the reasons to choose from, unless a user has saved the account's defaults. */
export async function keepReasonsIfNone(tx: Tx, reasons: readonly string[]): Promise<void> {
  await tx.query(
    `update account_defaults set reasons = $2 where client_id = $1 and updated_at is null and reasons = '{}'`,
    [tx.client_id, reasons],
  )
}

/** A reviewed demo recording. */
export interface ReviewedRecording {
  payload_id: number
  payload_reference: string
  group_id: number
}

/** Recordings of a group, the newest first. */
export function findToReview(
  tx: Tx,
  { group, payload_type }: { group: string; payload_type: PayloadType },
  limit: number,
): Promise<ReviewedRecording[]> {
  return tx.rows<ReviewedRecording>(
    `select p.payload_id, p.payload_reference, p.group_id from payloads p join groups g using (client_id, group_id)
     where p.client_id = $1 and g.group_reference = $2 and p.type = $3 and p.state = ${STATE_CODES.Processed}
     order by p.payload_time desc, p.payload_id desc limit $4`,
    [tx.client_id, group, TYPE_CODES[payload_type], limit],
  )
}

/** A demo phone without recordings for some days, connected or not. */
export interface DemoSilence {
  email: string
  days: number
  isAlive: boolean
}

const DAY = 86_400
/** Maximum gap in seconds between two recordings of a busy person. */
const BUSY_GAP = 22 * 3600

/** Lets a phone be one that was activated a month ago, and that is silent since some days. */
export async function backdate(tx: Tx, { email, days, isAlive }: DemoSilence): Promise<void> {
  const ago = Math.round(days * DAY)
  await tx.query(
    `with phone as (
       update devices set activated_at = activated_at - $3, awake_since = awake_since - $3, last_seen = case when $4 then last_seen else last_seen - $2 end
       where client_id = $1 and email = $5 returning device_id
     ), person as (
       update device_users set onboard_date = onboard_date - $3 where client_id = $1 and email = $5
     )
     update device_baselines r set squares = gaps * $6::float8, last_payload_at = least(last_payload_at, floor(extract(epoch from now()))::bigint - $2)
     from phone where r.client_id = $1 and r.device_id = phone.device_id`,
    [tx.client_id, ago, 30 * DAY, isAlive, email, BUSY_GAP],
  )
}

/** A recording in the sample that a user opens before they accept a run. */
interface SampledRecording {
  payload_reference: string
  is_processed: boolean
}

/** The sample of a run. */
export function findSampled(q: Queryable, migration_reference: string): Promise<SampledRecording[]> {
  return q.rows<SampledRecording>(
    `select p.payload_reference, p.state = ${STATE_CODES.Processed} as is_processed
     from migration_samples s join payloads p using (client_id, payload_id)
     where s.client_id = $1 and s.migration_reference = $2 order by s.position`,
    [q.client_id, migration_reference],
  )
}
