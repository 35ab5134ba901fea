/** Degrees: longitude, latitude. */
export type Line = [longitude: number, latitude: number][]

/** Two neighbours on the map are never so far apart, in degrees: between them the date changes. */
const JUMP = 180

/**
 * A closed ring, cut where it jumps around the fixture. Each piece may be filled by itself: it ends on the edge of the map on which it begins.
 */
export function piecesOf(ring: Line): Line[] {
  const pieces: Line[] = []
  let before: number | undefined
  for (const point of ring) {
    if (before === undefined || Math.abs(point[0] - before) > JUMP) pieces.push([])
    pieces.at(-1)?.push(point)
    before = point[0]
  }
  const [first, last] = [pieces[0], pieces.at(-1)]
  if (pieces.length < 2 || !first || !last) return pieces
  // It ends where it begins, somewhere inland: what comes before the first cut belongs to what comes behind the last one.
  return [[...last, ...first.slice(1)], ...pieces.slice(1, -1)]
}
