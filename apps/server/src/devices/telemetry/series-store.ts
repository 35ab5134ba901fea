import type { TelemetryPoint } from '@custodia/contract'
import type { Queryable } from '../../ports/database/lease.ts'

/** Maximum number of reports in a series, newest first. A device reports about every 15 minutes. */
const MOST_REPORTS = 20_000

export interface SeriesRange {
  device_id: number
  /** Undefined: all groups. */
  groups: readonly number[] | undefined
  /** Epoch seconds, inclusive and exclusive. */
  from: number
  to: number
  /** Seconds. */
  step: number
}

/** Steps with reports, oldest first. */
export async function findSeries(
  q: Queryable,
  { device_id, groups, from, to, step }: SeriesRange,
): Promise<TelemetryPoint[]> {
  const { rows } = await q.query<TelemetryPoint>(
    SERIES,
    [q.client_id, device_id, groups ?? null, from, to, step],
    'telemetry_series',
  )
  return rows
}

const SERIES = `
  select $4 + (telemetry_time - $4) / $6 * $6 as at, count(*)::int as reports,
    min((facts->>'battery_percentage')::int) as battery_percentage, min((facts->>'storage_available')::bigint) as storage_available,
    min((facts->>'memory_available')::bigint) as memory_available, max((facts->>'queue_payloads')::bigint) as queue_payloads
  from (
    select telemetry_time, facts from telemetry
    where client_id = $1 and device_id = $2 and ($3::int[] is null or group_id = any($3))
      and telemetry_time >= $4::bigint and telemetry_time < $5::bigint
    order by telemetry_time desc, row_id desc limit ${MOST_REPORTS}
  ) r group by (telemetry_time - $4) / $6::bigint order by 1`
