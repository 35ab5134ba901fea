import { type MetricScope, PAYLOAD_TYPES, type PayloadMetric, type PayloadType } from '@custodia/contract'
import { nextPeriod, periodOfId } from './period.ts'

/** Bars that are still told apart on a phone. */
const MOST_BARS = 31

/** The counts of a type over time. */
export interface TypeSeries {
  payload_type: PayloadType
  total: number
  /** Of each span, those without any included; the oldest first. */
  counts: number[]
}

/**
 * Series of the types of which there are any, over the newest spans that the rows have. Spans without a row had nothing.
 *
 * @param rows newest first, as the server lists them
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
