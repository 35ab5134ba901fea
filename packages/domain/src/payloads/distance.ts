/** Mean radius of the earth in metres (IUGG). */
const RADIUS = 6_371_009

interface Point {
  latitude: number
  longitude: number
}

/** Metres between two places in degrees, over a round earth: right within half a percent. */
export function distanceBetween(a: Point, b: Point): number {
  const rad = (degrees: number) => (degrees * Math.PI) / 180
  const [north, east] = [rad(b.latitude - a.latitude) / 2, rad(b.longitude - a.longitude) / 2]
  const chord =
    Math.sin(north) ** 2 + Math.cos(rad(a.latitude)) * Math.cos(rad(b.latitude)) * Math.sin(east) ** 2
  return 2 * RADIUS * Math.asin(Math.min(1, Math.sqrt(chord)))
}
