/** A value of a chart; null: nothing was said. */
export interface ChartPoint {
  at: number
  value: number | null
}

/**
 * The pieces of a line through points, as `points` of SVG polylines in a field of 100 × 100: a gap is drawn as a gap, and so is a pause of
 * more than `pause` seconds. `most` lies at the top, zero at the bottom.
 */
export function piecesOf(
  points: readonly ChartPoint[],
  { from, to, most, pause }: { from: number; to: number; most: number; pause: number },
): string[] {
  const pieces: string[][] = []
  let before: number | undefined
  for (const { at, value } of points) {
    if (value === null) {
      before = undefined
      continue
    }
    const x = ((at - from) / Math.max(1, to - from)) * 100
    const y = 100 - (Math.min(value, most) / Math.max(1, most)) * 100
    const piece = before === undefined || at - before > pause ? [] : pieces.pop()
    pieces.push([...(piece ?? []), `${round(x)},${round(y)}`])
    before = at
  }
  return pieces.map((piece) => piece.join(' '))
}

const round = (value: number): number => Math.round(value * 100) / 100
