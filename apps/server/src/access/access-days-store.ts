import type { Queryable, Tx } from '../ports/database/lease.ts'

/** Days of history that define a person's usual access. */
const USUAL_DAYS = 30

/** The counted acts of people, and the account's limit for each. */
const LIMITS = {
  'payloads:play': 'play_limit',
  'payloads:download': 'download_limit',
  'profile.exports:create': 'export_limit',
  'payloads:export': 'export_limit',
} as const
export type CountedAct = keyof typeof LIMITS

export const isCounted = (act: string): act is CountedAct => Object.hasOwn(LIMITS, act)

/** Something that a person was handed. */
export interface CountedAccess {
  /** The actor, as records name them. */
  actor: string
  act: CountedAct
  /** Epoch seconds. */
  at: number
  /** A recording counts once a day; its audit has the entry of this use already. */
  recording?: { payload_id: number; log_id: string } | undefined
}

/** Counts of an actor's day. */
export interface Day {
  count: number
  is_reported: boolean
  limit: number
  /** The actor's busiest day of the month before that raised no alert. */
  busiest: number
}

/** The first second of a day (UTC). */
export const getDay = (at: number): number => at - (at % 86_400)

/**
 * Counts recordings that an actor received; undefined if it was counted that day already. Concurrent callers wait
 * until `tx` ends.
 */
export function countHanded(tx: Tx, { actor, act, at, recording }: CountedAccess): Promise<Day | undefined> {
  return tx.row<Day>(
    `with counted as (
       insert into access_days as d (client_id, person, act, day, count)
       select $1, $2::text, $3::text, $4::bigint, 1 where not exists (select from payload_audit p where p.client_id = $1 and p.payload_id = $5
         and p.portal_user = $2 and p.action = $3 and p.at >= $4 and p.log_id <> $6)
       on conflict (client_id, person, act, day) do update set count = d.count + 1 returning count, is_reported
     )
     select counted.count, counted.is_reported, s.${LIMITS[act]} as limit,
       coalesce((select max(b.count) from access_days b where b.client_id = $1 and b.person = $2 and b.act = $3
         and b.day < $4 and b.day >= $4 - ${USUAL_DAYS * 86_400} and not b.is_reported), 0) as busiest
     from counted, account_defaults s where s.client_id = $1`,
    [tx.client_id, actor, act, getDay(at), recording?.payload_id ?? null, recording?.log_id ?? ''],
  )
}

/** Records that an alert covered the day. */
export async function noteNotified(tx: Tx, { actor, act, at }: CountedAccess): Promise<void> {
  await tx.query(
    'update access_days set is_reported = true where client_id = $1 and person = $2 and act = $3 and day = $4',
    [tx.client_id, actor, act, getDay(at)],
  )
}

/** Deletes a tenant's days that `countHanded` no longer reads; `now` in epoch seconds. */
export async function forgetOldDays(tx: Tx, now: number): Promise<void> {
  await tx.query('delete from access_days where client_id = $1 and day < $2', [
    tx.client_id,
    getDay(now) - USUAL_DAYS * 86_400,
  ])
}

/** The account's reasons for downloads and exports; empty: free text; null: none required. */
export async function findAskedReasons(q: Queryable): Promise<string[] | null> {
  return (
    (await q.value<string[]>('select reasons from account_defaults where client_id = $1 and asks_reason', [
      q.client_id,
    ])) ?? null
  )
}
