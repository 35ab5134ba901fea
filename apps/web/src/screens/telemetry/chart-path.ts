/** A value of a chart; null: not reported. */
export interface ChartPoint {
  at: number
  value: number | null
}

/**
 * SVG polyline segments in a 100 × 100 field; null values and pauses over `pause` seconds make gaps. `most` is the
 * top, zero the bottom.
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
