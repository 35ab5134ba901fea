import type { Tx } from '../ports/database/lease.ts'

const DAY = 86_400
/** What a gap weighs fades to a third in so many seconds; longer ones weigh no more than this. */
const FADE_SECONDS = 30 * DAY
/**
 * Seconds after which a phone that has brought nothing yet is one that should have: what it begins with is as if it had been watched for that
 * long, with thrice its usual gap being as much.
 */
const FIRST_SECONDS = 7 * DAY
const FIRST_SQUARES = (FIRST_SECONDS * FIRST_SECONDS) / 3
/** Less than a day without recordings is a night. */
const LEAST_SECONDS = DAY
const TIMES_USUAL = 3

/** SQL: the gap between recordings that is usual for a phone with rhythm `r`, in seconds; of one that has brought nothing yet, the one it begins with. */
export const USUAL_GAP = `coalesce(r.squares / r.gaps, ${FIRST_SQUARES / FIRST_SECONDS})`

/** SQL: seconds after which phone `d` with rhythm `r`, if it has one, has brought nothing for too long. */
export const TOO_LONG = `greatest(${LEAST_SECONDS}, ${TIMES_USUAL} * ${USUAL_GAP})`

/** SQL: from when on phone `d` with rhythm `r` has brought nothing. */
export const QUIET_SINCE = 'greatest(r.last_payload_at, d.awake_since)'

/**
 * Goes on with how often phones bring something. What is older than the newest of its phone, as what comes late, changes nothing. Phones are
 * noted in one order, so that no two batches wait for each other in a circle.
 */
export async function noteActivityBaselines(
  tx: Tx,
  payloads: readonly { device_id: number; payload_time: number }[],
): Promise<void> {
  if (payloads.length === 0) return
  await tx.query(
    NOTE,
    [
      tx.client_id,
      payloads.map(({ device_id }) => device_id),
      payloads.map(({ payload_time }) => payload_time),
    ],
    'device_baselines_note',
  )
}

const faded = (from: string, to: string) => `exp((${from} - ${to})::float8 / ${FADE_SECONDS})`

const NOTE = `
  with item as (
    select * from unnest($2::int[], $3::bigint[]) as x (device_id, payload_time)
  ), known as (
    select device_id, last_payload_at, gaps, squares from device_baselines
    where client_id = $1 and device_id = any($2) order by device_id for update
  ), following as (
    select device_id, payload_time, max(payload_time) over phone as newest,
      coalesce(lag(payload_time) over (phone order by payload_time), last_payload_at) as former
    from item left join known using (device_id) where last_payload_at is null or payload_time > last_payload_at
    window phone as (partition by device_id)
  ), step as (
    select device_id, payload_time, newest, case when former is not null then least(${FADE_SECONDS}, payload_time - former)::float8 end as gap
    from following
  ), sums as (
    select device_id, newest, min(payload_time) as oldest, coalesce(sum(gap * ${faded('payload_time', 'newest')}), 0) as gaps,
      coalesce(sum(gap * gap * ${faded('payload_time', 'newest')}), 0) as squares
    from step group by device_id, newest
  ), next as (
    select s.device_id, s.newest, ${faded('coalesce(k.last_payload_at, s.oldest)', 's.newest')} as rest, k.gaps as gaps_before,
      k.squares as squares_before, s.gaps, s.squares
    from sums s left join known k using (device_id)
  )
  insert into device_baselines as r (client_id, device_id, last_payload_at, gaps, squares)
  select $1, device_id, newest, coalesce(gaps_before, ${FIRST_SECONDS}) * rest + gaps, coalesce(squares_before, ${FIRST_SQUARES}) * rest + squares
  from next order by device_id
  on conflict (client_id, device_id) do update
  set last_payload_at = greatest(r.last_payload_at, excluded.last_payload_at), gaps = excluded.gaps, squares = excluded.squares`
