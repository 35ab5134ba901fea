/** Degrees: longitude, latitude. */
export type Line = [longitude: number, latitude: number][]

/** Maximum longitude difference of neighbours in degrees; more means the antimeridian. */
const JUMP = 180

/** Splits a closed ring at the antimeridian. Each piece starts and ends on the same map edge and can be filled alone. */
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
  // The ring starts inland: the part before the first cut joins the part after the last.
  return [[...last, ...first.slice(1)], ...pieces.slice(1, -1)]
}
