import { CAPTURE_DAYS, DAY, type DeviceService, type GapReason } from '@custodia/contract'
import { QUIET_SINCE } from '../../device-records/activity-baseline-store.ts'
import { IS_ACTIVE_DEVICE } from '../../device-records/store.ts'
import type { Bind } from '../../ports/database/binder.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'

/** Seconds after onboarding in which a user may lack a device; then the gap starts at onboarding. */
const DEVICE_GRACE = 7 * 86_400

/** A gap that started or ended, in database time. */
export interface ChangedGap {
  device_user_id: number
  device_user_reference: string
  group_id: number
  service: DeviceService
  reason: GapReason
  device_reference: string | null
  now: number
}

/** The last reported status of each service. */
const REPORTED_STATUS = `t.facts -> 'services' ->> s.service`
const BY_SIM = `s.service = any('{calls,sms,mms,rcs}')`
const HAS_SIM = `jsonb_path_exists(t.facts, '$.sims[*] ? (@.sim_state != "absent")')`

/** SQL: when the device user lost their last device, by reassignment or deactivation. */
const LAST_DEVICE_LOST = `(select max(coalesce(h.to_at, greatest(d.blocked_at, d.deactivation_date, d.deleted_at)))
        from device_history h join devices d using (client_id, device_id) where h.client_id = $1 and h.device_user_id = p.device_user_id)`

/**
 * SQL: missing capture now (`wanted`) and open gaps (`status`). The gravest reason counts; an unreported service counts
 * as healthy.
 */
const GAP_STATUS = `
  with clock as (select floor(extract(epoch from now()))::bigint as now), people as (
    select device_user_id, device_user_reference, group_id, services, expected_device_count, onboard_date,
      is_active and deleted_at is null as is_recorded
    from device_users where client_id = $1 and device_user_id > $2 order by device_user_id limit $3
  ), active_devices as (
    select d.*, r.last_payload_at, (select max(h.from_at) from device_history h
      where h.client_id = d.client_id and h.device_id = d.device_id and h.device_user_id = d.device_user_id) as held_since
    from devices d join people p using (device_user_id)
    left join device_baselines r on r.client_id = d.client_id and r.device_id = d.device_id
    where d.client_id = $1 and ${IS_ACTIVE_DEVICE} and d.blocked_at is null and d.deleted_at is null
  ), lacking as (
    select p.device_user_id, s.service, why.rank, why.reason, d.device_id, greatest(why.since, d.held_since) as since
    from people p cross join lateral unnest(p.services) s (service) join active_devices d using (device_user_id)
    cross join lateral (select d.last_payload_at) r
    left join telemetry_latest t on t.client_id = d.client_id and t.device_id = d.device_id
    cross join lateral (values
      (1, 'unlicensed', s.service = any(d.unlicensed_services), null::bigint),
      (2, 'silent', d.silence in ('silent', 'long_silent'), d.last_seen),
      (3, 'service_off', ${REPORTED_STATUS} = 'false', t.at),
      (4, 'not_allowed', s.service = any('{sms,mms,rcs}') and t.facts ->> ('is_' || s.service || '_allowed') = 'false', t.at),
      (5, 'no_device_admin', t.facts ->> 'is_device_admin' = 'false', t.at),
      (6, 'no_sim', ${BY_SIM} and t.facts ? 'sims' and not ${HAS_SIM}, t.at),
      (7, 'no_uploads', d.silence = 'silent_but_alive' and s.service <> 'gps', ${QUIET_SINCE})
    ) why (rank, reason, holds, since)
    where p.is_recorded and why.holds
    union all
    select p.device_user_id, service, 0, 'no_device', null, greatest(p.onboard_date, ${LAST_DEVICE_LOST}) from people p cross join clock cross join lateral unnest(p.services) service
    where p.is_recorded and p.expected_device_count > 0 and p.onboard_date <= clock.now - ${DEVICE_GRACE}
      and not exists (select from active_devices d where d.device_user_id = p.device_user_id)
  ), wanted as (
    select distinct on (device_user_id, service) * from lacking order by device_user_id, service, rank, device_id
  ), open_gaps as (
    select g.* from capture_gaps g join people using (device_user_id) where g.client_id = $1 and g.to_at is null
  )`

const END = `${GAP_STATUS}, ended as (
    update capture_gaps g set to_at = greatest(g.from_at, clock.now) from clock, open_gaps s join people p using (device_user_id)
      left join wanted w on w.device_user_id = s.device_user_id and w.service = s.service
    where g.client_id = $1 and g.gap_id = s.gap_id and g.to_at is null
      and (w.reason, w.device_id, p.group_id) is distinct from (s.reason, s.device_id, s.group_id)
    returning g.device_user_id, g.group_id, g.service, g.reason, g.device_id, clock.now
  )`

/** A gap that follows another starts at its end. */
const BEGIN = `${GAP_STATUS}, begun as (
    insert into capture_gaps (client_id, device_user_id, group_id, service, reason, device_id, from_at)
    select $1, w.device_user_id, p.group_id, w.service, w.reason, w.device_id, greatest(least(coalesce(w.since, clock.now), clock.now),
      (select max(g.to_at) from capture_gaps g where g.client_id = $1 and g.device_user_id = w.device_user_id and g.service = w.service))
    from wanted w join people p using (device_user_id) cross join clock
    where not exists (select from open_gaps s where s.device_user_id = w.device_user_id and s.service = w.service)
    on conflict (client_id, device_user_id, service) where to_at is null do nothing
    returning device_user_id, group_id, service, reason, device_id
  )`

const toResponse = (changed: string, now: string) => `
  select c.device_user_id, p.device_user_reference, c.group_id, c.service, c.reason, d.device_reference, ${now} as now
  from ${changed} c join people p using (device_user_id) cross join clock
  left join devices d on d.client_id = $1 and d.device_id = c.device_id order by c.device_user_id, c.reason, c.service`

/** The changes of one batch and the next cursor; undefined after the last user. */
export interface GapBatch {
  ended: ChangedGap[]
  begun: ChangedGap[]
  /** Users without an open gap. */
  whole: Pick<ChangedGap, 'device_user_reference' | 'now'>[]
  next: number | undefined
}

/** Starts and ends gaps of at most `most` users with ids above `after`. One sweep per client runs at a time. */
export async function noteGaps(tx: Tx, { after, most }: { after: number; most: number }): Promise<GapBatch> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('capture', $1))`, [tx.client_id])
  const values = [tx.client_id, after, most]
  const { rows: ended } = await tx.query<ChangedGap>(END + toResponse('ended', 'clock.now'), values)
  const { rows: begun } = await tx.query<ChangedGap>(BEGIN + toResponse('begun', 'clock.now'), values)
  const { rows: open } = await tx.query<{ device_user_id: number }>(
    'select distinct device_user_id from capture_gaps where client_id = $1 and to_at is null and device_user_id = any($2)',
    [tx.client_id, ended.map(({ device_user_id }) => device_user_id)],
  )
  const still = new Set(open.map(({ device_user_id }) => device_user_id))
  const [last] = (
    await tx.query<{ next: number | null; count: number }>(
      `select max(device_user_id) as next, count(*)::int as count from (select device_user_id from device_users
         where client_id = $1 and device_user_id > $2 order by device_user_id limit $3) p`,
      values,
    )
  ).rows
  return {
    ended,
    begun,
    whole: ended.filter(
      ({ device_user_id }, i) =>
        !still.has(device_user_id) && ended[i - 1]?.device_user_id !== device_user_id,
    ),
    next: last && last.count === most ? (last.next ?? undefined) : undefined,
  }
}

/** SQL: gap `x` differs from gap `r` by its service only. */
const IS_SAME = `x.client_id = r.client_id and x.device_user_id = r.device_user_id and x.from_at = r.from_at
  and (x.reason, x.device_id, x.to_at, x.group_id) is not distinct from (r.reason, r.device_id, r.to_at, r.group_id)`

/** SQL: services of the gaps that differ from gap `r` by their service only. */
export const SERVICES_OF_GAPS = `array(select x.service from capture_gaps x where ${IS_SAME} order by x.service)`

/** SQL condition: the first of the gaps that differ by their service only, among these services. */
export const isFirst =
  (services: readonly string[] | undefined) =>
  (bind: Bind): string =>
    `not exists (select from capture_gaps x where ${IS_SAME} and x.gap_id < r.gap_id
      ${services ? `and x.service = any(${bind(services, 'text[]')})` : ''})`

/**
 * Open capture gaps of some groups, or all, at the end of each of the last days (UTC), oldest first. Those that differ
 * by their service only count once.
 */
export function countGapDays(
  q: Queryable,
  groups: readonly number[] | 'all',
  now: number,
): Promise<{ day: number; open: number }[]> {
  const today = now - (now % DAY)
  return q.rows<{ day: number; open: number }>(
    `with gaps as materialized (
       select distinct device_user_id, device_id, reason, from_at, to_at, group_id from capture_gaps
       where client_id = $1 and (to_at is null or to_at >= $2) and ($4::int[] is null or group_id = any($4)))
     select d.day, count(g.from_at)::int as open
     from generate_series($2::bigint, $3::bigint, ${DAY}) d (day)
     left join gaps g on g.from_at < d.day + ${DAY} and (g.to_at is null or g.to_at >= d.day + ${DAY})
     group by 1 order by 1`,
    [q.client_id, today - (CAPTURE_DAYS - 1) * DAY, today, groups === 'all' ? null : groups],
  )
}
