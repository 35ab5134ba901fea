/** A value of a chart; null: not reported. */
export interface ChartPoint {
  at: number
  value: number | null
}

/** Points with an empty one in each pause of more than `pause` seconds, so that no line crosses it. */
export const withGaps = (points: readonly ChartPoint[], pause: number): ChartPoint[] =>
  points.flatMap((point, i) => {
    const before = points[i - 1]
    return before && point.at - before.at > pause ? [{ at: before.at + 1, value: null }, point] : [point]
  })
