import type { Silence } from '@custodia/contract'
import { QUIET_SINCE, TOO_LONG, USUAL_GAP } from '../device-records/activity-baseline-store.ts'
import { IS_ACTIVE_DEVICE, SILENT_SECONDS } from '../device-records/store.ts'
import type { DeviceCaller } from '../http/context.ts'
import type { Tx } from '../ports/database/lease.ts'

/** Seconds without contact before a device is long silent. */
const LONG_SILENT_SECONDS = 3 * SILENT_SECONDS

/** A device whose silence started, deepened or ended. */
export interface ChangedSilence {
  device_id: number
  device_reference: string
  device_user_reference: string | null
  group_id: number
  /** Current and previous silence. */
  silence: Silence | null
  silence_before: Silence | null
  /** Seconds since the last contact. */
  unseen: number
  /** Seconds since the last payload, and the usual gap. */
  quiet: number
  usual_gap: number
  /** Epoch seconds, database time. */
  now: number
}

const UNSEEN = '(clock.now - coalesce(d.last_seen, d.activated_at))'
const QUIET = `(clock.now - greatest(${QUIET_SINCE}, u.onboard_date))`

/**
 * Excludes migrated devices and those with nothing to record: users who left or have no services. Positions are no
 * recordings.
 */
const SILENCE = `case
  when not ${IS_ACTIVE_DEVICE} or d.is_legacy or d.blocked_at is not null or d.deleted_at is not null or cardinality(s.services) = 0 then null
  when ${UNSEEN} >= ${LONG_SILENT_SECONDS} then 'long_silent'
  when ${UNSEEN} >= ${SILENT_SECONDS} then 'silent'
  when s.services <> '{gps}' and ${QUIET} > ${TOO_LONG} then 'silent_but_alive' end`

/**
 * Stores at most `most` changed silences by id after `after` and returns them, each change once. Uses database time
 * only: no process clock can silence devices.
 */
export function noteSilences(
  tx: Tx,
  { after, most }: { after: number; most: number },
): Promise<ChangedSilence[]> {
  return tx.rows<ChangedSilence>(
    `with clock as (select floor(extract(epoch from now()))::bigint as now), changed as (
       select d.device_id, d.silence as silence_before, found.silence, u.device_user_reference, ${UNSEEN}::int as unseen, ${QUIET}::int as quiet,
         ${USUAL_GAP}::int as usual_gap
       from devices d cross join clock
       left join device_users u on u.client_id = d.client_id and u.device_user_id = d.device_user_id
       left join device_baselines r on r.client_id = d.client_id and r.device_id = d.device_id
       cross join lateral (select d.granted_services as services) s cross join lateral (select ${SILENCE} as silence) found
       where d.client_id = $1 and d.device_id > $2 and found.silence is distinct from d.silence
       order by d.device_id limit $3
     ), done as (
       update devices d set silence = c.silence from changed c
       where d.client_id = $1 and d.device_id = c.device_id and d.silence is not distinct from c.silence_before
       returning d.device_id, d.device_reference, d.group_id
     )
     select done.*, c.device_user_reference, c.silence, c.silence_before, c.unseen, c.quiet, c.usual_gap, clock.now
     from done join changed c using (device_id) cross join clock order by done.device_id`,
    [tx.client_id, after, most],
  )
}

/** A deactivated device for the audit log. */
export type DeactivatedDevice = Pick<
  DeviceCaller,
  'device_id' | 'device_reference' | 'device_user_reference' | 'group_reference' | 'group_id'
> & {
  /** Database time; epoch seconds. */
  deactivation_date: number
}

/**
 * Deactivates at most `most` devices unseen for so many seconds, by id after `after`. Uses database time only: no
 * process clock can deactivate devices.
 */
export function deactivateSilent(
  tx: Tx,
  { silent_for, after, most }: { silent_for: number; after: number; most: number },
): Promise<DeactivatedDevice[]> {
  return tx.rows<DeactivatedDevice>(
    `with clock as (select floor(extract(epoch from now()))::bigint as now), silent as (
       select d.device_id from devices d, clock
       where d.client_id = $1 and d.device_id > $3 and ${IS_ACTIVE_DEVICE} and not d.is_legacy and d.deleted_at is null
         and coalesce(d.last_seen, d.activated_at) < clock.now - $2
       order by d.device_id limit $4
     ), done as (
       update devices d set is_deactivated = true, deactivation_date = clock.now, updated_at = clock.now, updated_by = 'inactivity'
       from silent s, clock
       where d.client_id = $1 and d.device_id = s.device_id and ${IS_ACTIVE_DEVICE}
         and coalesce(d.last_seen, d.activated_at) < clock.now - $2
       returning d.device_id, d.device_reference, d.device_user_id, d.group_id, d.deactivation_date
     ), ended as (
       delete from device_tokens t using done where t.client_id = $1 and t.device_id = done.device_id
     )
     select done.device_id, device_reference, device_user_reference, group_reference, done.group_id, deactivation_date
     from done join groups g on g.client_id = $1 and g.group_id = done.group_id
     left join device_users u on u.client_id = $1 and u.device_user_id = done.device_user_id order by done.device_id`,
    [tx.client_id, silent_for, after, most],
  )
}
