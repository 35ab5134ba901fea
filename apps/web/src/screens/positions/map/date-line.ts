import type { Position } from 'geojson'

/** Maximum longitude difference of neighbours in degrees; more means the date line. */
const JUMP = 180

/** Splits a line at the date line. */
export function cutLine(line: Position[]): Position[][] {
  const pieces: Position[][] = []
  let before: number | undefined
  for (const point of line) {
    const [longitude = 0] = point
    if (before === undefined || Math.abs(longitude - before) > JUMP) pieces.push([])
    pieces.at(-1)?.push(point)
    before = longitude
  }
  return pieces
}

/** Splits a closed ring at the date line. Each piece starts and ends on the same map edge and can be filled alone. */
export function getPieces(ring: Position[]): Position[][] {
  const pieces = cutLine(ring)
  const [first, last] = [pieces[0], pieces.at(-1)]
  if (pieces.length < 2 || !first || !last) return pieces
  // The ring starts inland: the part before the first cut joins the part after the last.
  return [[...last, ...first.slice(1)], ...pieces.slice(1, -1)]
}
