import type { MapLayer } from './layer.ts'
import { scaleOf } from './projection.ts'

/** A provider's map in tiles of 256 pixels. */
export interface Tiles {
  /** URL template with `{z}`, `{x}` and `{y}`. */
  address: string
  attribution: string
}

/** Cached tiles. */
const MOST = 400
const MOST_LEVEL = 19
const pictures = new Map<string, HTMLImageElement>()

/** Draws cached tiles and requests missing ones; `onArrived` runs when one loads. */
export function drawTiles(
  { context, camera, width, height }: MapLayer,
  { address }: Tiles,
  onArrived: () => void,
): void {
  const level = Math.min(MOST_LEVEL, Math.max(0, Math.round(camera.zoom)))
  const count = 2 ** level
  const [scale, size] = [scaleOf(camera.zoom), scaleOf(camera.zoom) / count]
  const [left, top] = [camera.x * scale - width / 2, camera.y * scale - height / 2]
  for (let y = Math.max(0, Math.floor(top / size)); y < count && y * size < top + height; y++)
    for (let x = Math.max(0, Math.floor(left / size)); x < count && x * size < left + width; x++) {
      const picture = pictureOf(
        address.replace('{z}', String(level)).replace('{x}', String(x)).replace('{y}', String(y)),
        onArrived,
      )
      // A failed tile leaves the local map visible.
      if (picture.complete && picture.naturalWidth > 0)
        context.drawImage(picture, x * size - left, y * size - top, size + 0.5, size + 0.5)
    }
}

function pictureOf(url: string, onArrived: () => void): HTMLImageElement {
  const known = pictures.get(url)
  if (known) return known
  const picture = new Image()
  picture.referrerPolicy = 'no-referrer'
  picture.addEventListener('load', onArrived, { once: true })
  picture.src = url
  pictures.set(url, picture)
  const oldest = pictures.keys().next().value
  if (pictures.size > MOST && oldest !== undefined) pictures.delete(oldest)
  return picture
}
