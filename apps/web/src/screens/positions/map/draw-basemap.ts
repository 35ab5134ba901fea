import type { Basemap } from './basemap.ts'
import { type Camera, scaleOf } from './projection.ts'

/** Map colours; a canvas has no style sheets. */
export interface MapColours {
  water: string
  land: string
  border: string
  label: string
  halo: string
  track: string
  past: string
  gap: string
  marker: string
  accuracy: string
  stop: string
  recording: string
}

export const MAP_COLOURS: Readonly<Record<'light' | 'dark', MapColours>> = {
  light: {
    water: '#dbe7f0',
    land: '#f6f5f1',
    border: '#b9b5a8',
    label: '#4a4f57',
    halo: '#ffffff',
    track: '#8fb3e6',
    past: '#1c5fc4',
    gap: '#8a5a00',
    marker: '#b4232a',
    accuracy: '#1c5fc433',
    stop: '#5b2fa8',
    recording: '#0b7a4b',
  },
  dark: {
    water: '#16202b',
    land: '#262b31',
    border: '#4d545e',
    label: '#c3c9d2',
    halo: '#14181d',
    track: '#3f5f8f',
    past: '#7db1ff',
    gap: '#e0b060',
    marker: '#ff7b7f',
    accuracy: '#7db1ff33',
    stop: '#c3a2ff',
    recording: '#5fdca0',
  },
}

/** Maximum number of place names. */
const MOST_NAMES = 60

/** Draws land, borders and names on the canvas, in CSS pixels. */
export function drawBasemap(
  context: CanvasRenderingContext2D,
  basemap: Basemap | undefined,
  camera: Camera,
  { width, height }: { width: number; height: number },
  colours: MapColours,
): void {
  context.fillStyle = colours.water
  context.fillRect(0, 0, width, height)
  if (!basemap) return
  const scale = scaleOf(camera.zoom)
  const [left, top] = [camera.x - width / 2 / scale, camera.y - height / 2 / scale]
  const [right, bottom] = [left + width / scale, top + height / scale]
  context.save()
  context.scale(scale, scale)
  context.translate(-left, -top)
  context.fillStyle = colours.land
  context.strokeStyle = colours.border
  context.lineWidth = 1 / scale
  for (const shape of basemap.land) {
    if (shape.right < left || shape.left > right || shape.bottom < top || shape.top > bottom) continue
    context.fill(shape.path, 'evenodd')
    context.stroke(shape.path)
  }
  context.stroke(basemap.borders)
  context.restore()
  drawNames(context, basemap, { left, top, right, bottom, scale, zoom: camera.zoom }, colours)
}

interface Shown {
  left: number
  top: number
  right: number
  bottom: number
  scale: number
  zoom: number
}

/** The largest places whose labels do not overlap. */
function drawNames(
  context: CanvasRenderingContext2D,
  { places }: Basemap,
  { left, top, right, bottom, scale, zoom }: Shown,
  colours: MapColours,
): void {
  const { names, xs, ys, populations } = places
  // Minimum population in thousands at low zoom.
  const least = zoom > 9 ? 0 : 20_000 / 2 ** (zoom + 1.5)
  const taken: { left: number; top: number; right: number; bottom: number }[] = []
  context.font = '12px system-ui, sans-serif'
  context.textAlign = 'center'
  context.lineJoin = 'round'
  for (let i = 0; i < names.length && taken.length < MOST_NAMES; i++) {
    if ((populations[i] ?? 0) < least) break
    const [x, y] = [xs[i] ?? 0, ys[i] ?? 0]
    if (x < left || x > right || y < top || y > bottom) continue
    const [at, down] = [(x - left) * scale, (y - top) * scale]
    const half = context.measureText(names[i] ?? '').width / 2 + 6
    const box = { left: at - half, right: at + half, top: down - 18, bottom: down + 6 }
    if (
      taken.some((o) => box.left < o.right && box.right > o.left && box.top < o.bottom && box.bottom > o.top)
    )
      continue
    taken.push(box)
    context.fillStyle = colours.label
    context.beginPath()
    context.arc(at, down, 2, 0, 2 * Math.PI)
    context.fill()
    context.strokeStyle = colours.halo
    context.lineWidth = 3
    context.strokeText(names[i] ?? '', at, down - 6)
    context.fillText(names[i] ?? '', at, down - 6)
  }
}

/** A drawing layer of the map, in CSS pixels. */
export interface MapLayer {
  context: CanvasRenderingContext2D
  camera: Camera
  width: number
  height: number
  colours: MapColours
}
