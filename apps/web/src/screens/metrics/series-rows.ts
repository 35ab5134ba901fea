import { type MetricScope, PAYLOAD_TYPES, type PayloadMetric, type PayloadType } from '@custodia/contract'
import { nextPeriod, periodOfId } from './period.ts'

/** Maximum bars that remain distinct on a phone. */
const MOST_BARS = 31

/** Counts of a type over time. */
export interface TypeSeries {
  payload_type: PayloadType
  total: number
  /** One per period, zeros included, oldest first. */
  counts: number[]
}

/**
 * Series of all types with counts over the newest loaded periods; missing rows are zero.
 * @param rows newest first
 */
export function seriesOf(
  scope: Exclude<MetricScope, 'Summary'>,
  rows: readonly PayloadMetric[],
): { starts: number[]; series: TypeSeries[] } {
  const counts = new Map(rows.map((row) => [periodOfId(row.id), row.counts]))
  const [newest = 0, oldest = newest] = [rows[0], rows.at(-1)].map((row) =>
    row ? periodOfId(row.id) : undefined,
  )
  const all: number[] = []
  if (rows.length > 0) for (let at = oldest; at <= newest; at = nextPeriod(scope, at)) all.push(at)
  const starts = all.slice(-MOST_BARS)
  const series = PAYLOAD_TYPES.map((payload_type) => {
    const each = starts.map((start) => counts.get(start)?.[payload_type] ?? 0)
    return { payload_type, counts: each, total: each.reduce((sum, n) => sum + n, 0) }
  })
  return { starts, series: series.filter(({ total }) => total > 0) }
}
