import type { Tx } from '../ports/database/lease.ts'

const DAY = 86_400
/** Decay: the weight of a gap falls to a third in so many seconds, and no gap counts longer. */
const FADE_SECONDS = 30 * DAY
/** Initial value for a device without payloads: three times its usual gap equals so many seconds. */
const FIRST_SECONDS = 7 * DAY
const FIRST_SQUARES = (FIRST_SECONDS * FIRST_SECONDS) / 3
/** A pause under a day is a night. */
const MIN_SECONDS = DAY
const TIMES_USUAL = 3

/** SQL: usual gap between payloads of a device with baseline `r`, in seconds; the initial value without payloads. */
export const USUAL_GAP = `coalesce(r.squares / r.gaps, ${FIRST_SQUARES / FIRST_SECONDS})`

/** SQL: seconds after which device `d` with baseline `r` has been quiet for too long. */
export const TOO_LONG = `greatest(${MIN_SECONDS}, ${TIMES_USUAL} * ${USUAL_GAP})`

/** SQL: start of the quiet time of device `d` with baseline `r`. */
export const QUIET_SINCE = 'greatest(r.last_payload_at, d.awake_since)'

/**
 * Updates the activity baselines. A payload older than the device's newest changes nothing. Updates in one order to
 * avoid deadlocks.
 */
export async function noteActivityBaselines(
  tx: Tx,
  payloads: readonly { device_id: number; payload_time: number }[],
): Promise<void> {
  if (payloads.length === 0) return
  await tx.query(NOTE, [
    tx.client_id,
    payloads.map(({ device_id }) => device_id),
    payloads.map(({ payload_time }) => payload_time),
  ])
}

const decay = (from: string, to: string) => `exp((${from} - ${to})::float8 / ${FADE_SECONDS})`

const NOTE = `
  with item as (
    select * from unnest($2::int[], $3::bigint[]) as x (device_id, payload_time)
  ), known as (
    select device_id, last_payload_at, gaps, squares from device_baselines
    where client_id = $1 and device_id = any($2) order by device_id for update
  ), following as (
    select device_id, payload_time, max(payload_time) over per_device as newest,
      coalesce(lag(payload_time) over (per_device order by payload_time), last_payload_at) as former
    from item left join known using (device_id) where last_payload_at is null or payload_time > last_payload_at
    window per_device as (partition by device_id)
  ), step as (
    select device_id, payload_time, newest, case when former is not null then least(${FADE_SECONDS}, payload_time - former)::float8 end as gap
    from following
  ), sums as (
    select device_id, newest, min(payload_time) as oldest, coalesce(sum(gap * ${decay('payload_time', 'newest')}), 0) as gaps,
      coalesce(sum(gap * gap * ${decay('payload_time', 'newest')}), 0) as squares
    from step group by device_id, newest
  ), next as (
    select s.device_id, s.newest, ${decay('coalesce(k.last_payload_at, s.oldest)', 's.newest')} as rest, k.gaps as gaps_before,
      k.squares as squares_before, s.gaps, s.squares
    from sums s left join known k using (device_id)
  )
  insert into device_baselines as r (client_id, device_id, last_payload_at, gaps, squares)
  select $1, device_id, newest, coalesce(gaps_before, ${FIRST_SECONDS}) * rest + gaps, coalesce(squares_before, ${FIRST_SQUARES}) * rest + squares
  from next order by device_id
  on conflict (client_id, device_id) do update
  set last_payload_at = greatest(r.last_payload_at, excluded.last_payload_at), gaps = excluded.gaps, squares = excluded.squares`
