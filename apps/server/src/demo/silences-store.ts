import type { Tx } from '../ports/database/lease.ts'

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
