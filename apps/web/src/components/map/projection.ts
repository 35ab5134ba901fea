/**
 * Web Mercator (EPSG:3857) with the whole fixture as the square from 0 to 1, x to the east and y to the south. At zoom z the fixture is
 * 256 × 2^z pixels wide, as map tiles count.
 */

/** Beyond it, in degrees, the projection shows nothing. */
const MOST_LATITUDE = 85.05

/** Pixels of the fixture's width at zoom 0. */
const TILE = 256
/** Zoom levels: a continent, and a street corner. */
export const LEAST_ZOOM = 0.5
export const MOST_ZOOM = 19
/** Metres of the equator. */
const EQUATOR = 40_075_017

export const worldX = (longitude: number): number => longitude / 360 + 0.5

export function worldY(latitude: number): number {
  const sine = Math.sin((Math.min(MOST_LATITUDE, Math.max(-MOST_LATITUDE, latitude)) * Math.PI) / 180)
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
}

const latitudeOf = (y: number): number => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI

/** What of the fixture is shown: its middle, and how near. */
export interface Camera {
  x: number
  y: number
  zoom: number
}

/** Pixels of the whole fixture's width. */
export const scaleOf = (zoom: number): number => TILE * 2 ** zoom

/** Metres that a pixel of the map is wide. */
export const metresPerPixel = ({ y, zoom }: Camera): number =>
  (EQUATOR * Math.cos((latitudeOf(y) * Math.PI) / 180)) / scaleOf(zoom)

/** A rectangle of the fixture. */
export interface Bounds {
  left: number
  top: number
  right: number
  bottom: number
}

/** The camera that shows all of a rectangle with some room around it. */
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

/** Nearer by so many zoom levels, with what lies at a place of the canvas (pixels from its middle) staying there. */
export function zoomed(camera: Camera, by: number, dx = 0, dy = 0): Camera {
  const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, camera.zoom + by))
  const shift = 1 / scaleOf(camera.zoom) - 1 / scaleOf(zoom)
  return clamped({ x: camera.x + dx * shift, y: camera.y + dy * shift, zoom })
}

/** Moved by so many pixels. */
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
