import type { RetentionExecution } from '@custodia/contract'
import { CLOCK } from '../held-records/store.ts'
import { typeOfCode } from '../payload-records/codes.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

type Pause = Pick<RetentionExecution, 'is_paused' | 'reason' | 'updated_at' | 'updated_by'>

/** Whether retention is paused, and who changed it last. */
export async function findPause(q: Queryable): Promise<Pause> {
  const { rows } = await q.query<Pause>(
    'select is_paused, reason, at as updated_at, by as updated_by from retention_pauses where client_id = $1',
    [q.client_id],
    'retention_pause',
  )
  return rows[0] ?? { is_paused: false, reason: null, updated_at: null, updated_by: null }
}

/** Pauses or resumes retention; the policies must be locked. */
export async function savePause(
  tx: Tx,
  { is_paused, reason, by }: { is_paused: boolean; reason: string; by: string },
): Promise<void> {
  await tx.query(
    `insert into retention_pauses (client_id, is_paused, reason, at, by) values ($1, $2, $3, ${CLOCK}, $4)
     on conflict (client_id) do update set is_paused = excluded.is_paused, reason = excluded.reason, at = excluded.at, by = excluded.by`,
    [tx.client_id, is_paused, reason, by],
    'retention_pause_save',
  )
}

/** Time at which every service had been checked; null when one never was. */
export async function lastLook(q: Queryable): Promise<number | null> {
  const { rows } = await q.query<{ looked_at: number | null }>(
    `select case when bool_and(ended_at is not null) then min(ended_at) end as looked_at from retention_positions where client_id = $1`,
    [q.client_id],
    'retention_look',
  )
  return rows[0]?.looked_at ?? null
}

/** Counts of the last days, including today. */
export async function findDeeds(
  q: Queryable,
  days: number,
): Promise<Pick<RetentionExecution, 'deleted' | 'destroyed'>> {
  const { rows } = await q.query<{ type: number; deleted: number; destroyed: number }>(
    `select type, sum(deleted)::int as deleted, sum(destroyed)::int as destroyed from retention_results
     where client_id = $1 and day > ${CLOCK} - $2::bigint * 86400 group by type order by type`,
    [q.client_id, days],
    'retention_results_of',
  )
  const counts = (deed: 'deleted' | 'destroyed') =>
    rows.flatMap(({ type, [deed]: count }) => (count > 0 ? [{ payload_type: typeOfCode(type), count }] : []))
  return { deleted: counts('deleted'), destroyed: counts('destroyed') }
}

/** Whether a pass that started before a time has not ended while retention is not paused. */
export async function isBehind(q: Queryable, before: number): Promise<boolean> {
  const { rows } = await q.query(
    `select from retention_positions where client_id = $1 and ended_at is null and began_at < $2
       and not exists (select from retention_pauses where client_id = $1 and (is_paused or at > $2)) limit 1`,
    [q.client_id, before],
    'retention_behind',
  )
  return rows.length > 0
}
