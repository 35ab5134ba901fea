/**
 * Web Mercator (EPSG:3857): the earth is the square from 0 to 1, x to the east and y to the south. At zoom z it is 256
 * × 2^z pixels wide, as for map tiles.
 */

/** Maximum latitude of the projection, in degrees. */
const MOST_LATITUDE = 85.05

/** Map width in pixels at zoom 0. */
const TILE = 256
/** Zoom limits: a continent, and a street corner. */
export const LEAST_ZOOM = 0.5
export const MOST_ZOOM = 19
/** Length of the equator in metres. */
const EQUATOR = 40_075_017

export const worldX = (longitude: number): number => longitude / 360 + 0.5

export function worldY(latitude: number): number {
  const sine = Math.sin((Math.min(MOST_LATITUDE, Math.max(-MOST_LATITUDE, latitude)) * Math.PI) / 180)
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
}

const latitudeOf = (y: number): number => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI

/** Visible part of the map: centre and zoom. */
export interface Camera {
  x: number
  y: number
  zoom: number
}

/** Width of the whole map in pixels. */
export const scaleOf = (zoom: number): number => TILE * 2 ** zoom

/** Metres per pixel. */
export const metresPerPixel = ({ y, zoom }: Camera): number =>
  (EQUATOR * Math.cos((latitudeOf(y) * Math.PI) / 180)) / scaleOf(zoom)

/** A rectangle of the map. */
export interface Bounds {
  left: number
  top: number
  right: number
  bottom: number
}

/** Camera that shows a rectangle with a margin. */
export function cameraFor(bounds: Bounds, width: number, height: number): Camera {
  const room = 48
  const zoom = Math.min(
    Math.log2(Math.max(1, width - 2 * room) / TILE / Math.max(1e-9, bounds.right - bounds.left)),
    Math.log2(Math.max(1, height - 2 * room) / TILE / Math.max(1e-9, bounds.bottom - bounds.top)),
  )
  return clamped({
    x: (bounds.left + bounds.right) / 2,
    y: (bounds.top + bounds.bottom) / 2,
    zoom: Math.min(zoom, 16),
  })
}

/** Zooms by levels around a canvas point (pixels from its centre). */
export function zoomed(camera: Camera, by: number, dx = 0, dy = 0): Camera {
  const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, camera.zoom + by))
  const shift = 1 / scaleOf(camera.zoom) - 1 / scaleOf(zoom)
  return clamped({ x: camera.x + dx * shift, y: camera.y + dy * shift, zoom })
}

/** Pans by pixels. */
export const moved = (camera: Camera, dx: number, dy: number): Camera =>
  clamped({
    ...camera,
    x: camera.x + dx / scaleOf(camera.zoom),
    y: camera.y + dy / scaleOf(camera.zoom),
  })

const clamped = ({ x, y, zoom }: Camera): Camera => ({
  x: Math.min(1, Math.max(0, x)),
  y: Math.min(1, Math.max(0, y)),
  zoom: Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, zoom)),
})

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
