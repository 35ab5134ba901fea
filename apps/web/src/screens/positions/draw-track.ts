import type { MapLayer } from './map/draw-basemap.ts'
import { metresPerPixel, scaleOf } from './map/projection.ts'
import { indexAt, placeAt, type Track } from './track.ts'

/** Pixels: a position closer than this to the last drawn one is skipped. */
const NEAR = 0.8

/** Draws device tracks in a faint colour, gaps dotted. */
export function drawTracks(canvas: MapLayer, tracks: readonly Track[]): void {
  const { colours } = canvas
  for (const track of tracks) {
    stroke(canvas, track, 0, track.times.length, colours.track, 3)
    drawGaps(canvas, track)
  }
}

/** Draws the track up to a time, stops, and each position at that time with its accuracy. */
export function drawMoment(canvas: MapLayer, tracks: readonly Track[], time: number): void {
  const { context, camera, colours } = canvas
  for (const track of tracks) {
    const index = indexAt(track, time)
    stroke(canvas, track, 0, index + 1, colours.past, 3)
    drawStops(canvas, track)
    const place = placeAt(track, time)
    const last = track.points[Math.max(0, index)]
    if (!place || !last) continue
    const [x, y] = placer(canvas)(place.x, place.y)
    if (last.accuracy !== null) {
      context.fillStyle = colours.accuracy
      context.strokeStyle = colours.past
      context.lineWidth = 1
      context.beginPath()
      context.arc(x, y, Math.min(4000, last.accuracy / metresPerPixel(camera)), 0, 2 * Math.PI)
      context.fill()
      context.stroke()
    }
    drawMarker(canvas, x, y)
  }
}

function drawStops(canvas: MapLayer, track: Track): void {
  const { context, colours } = canvas
  const at = placer(canvas)
  for (const stop of track.stops) {
    const [x, y] = at(stop.x, stop.y)
    context.fillStyle = colours.stop
    context.strokeStyle = colours.halo
    context.lineWidth = 2
    context.beginPath()
    context.rect(x - 5, y - 5, 10, 10)
    context.fill()
    context.stroke()
  }
}

/** A round marker with an outline, visible on any background. */
export function drawMarker(
  { context, colours }: MapLayer,
  x: number,
  y: number,
  colour = colours.marker,
): void {
  context.fillStyle = colour
  context.strokeStyle = colours.halo
  context.lineWidth = 2
  context.beginPath()
  context.arc(x, y, 7, 0, 2 * Math.PI)
  context.fill()
  context.stroke()
}

/** From map units to canvas pixels. */
export function placer({ camera, width, height }: Pick<MapLayer, 'camera' | 'width' | 'height'>) {
  const scale = scaleOf(camera.zoom)
  return (x: number, y: number): [number, number] => [
    (x - camera.x) * scale + width / 2,
    (y - camera.y) * scale + height / 2,
  ]
}

function stroke(
  canvas: MapLayer,
  track: Track,
  from: number,
  to: number,
  colour: string,
  width: number,
): void {
  const { context, camera } = canvas
  const { xs, ys, isAfterGap } = track
  const scale = scaleOf(camera.zoom)
  const [left, top] = [canvas.width / 2 - camera.x * scale, canvas.height / 2 - camera.y * scale]
  const [wide, high] = [canvas.width, canvas.height]
  context.strokeStyle = colour
  context.lineWidth = width
  context.lineJoin = 'round'
  context.lineCap = 'round'
  context.beginPath()
  let [lastX, lastY, isDown] = [0, 0, false]
  for (let i = from; i < to; i++) {
    const x = (xs[i] as number) * scale + left
    const y = (ys[i] as number) * scale + top
    if (!isDown || isAfterGap[i]) {
      context.moveTo(x, y)
      // Makes a single position visible.
      context.lineTo(x, y)
    } else {
      if (Math.abs(x - lastX) < NEAR && Math.abs(y - lastY) < NEAR && i < to - 1) continue
      const isAway =
        (x < 0 && lastX < 0) ||
        (y < 0 && lastY < 0) ||
        (x > wide && lastX > wide) ||
        (y > high && lastY > high)
      if (isAway) context.moveTo(x, y)
      else context.lineTo(x, y)
    }
    ;[lastX, lastY, isDown] = [x, y, true]
  }
  context.stroke()
}

function drawGaps(canvas: MapLayer, { xs, ys, isAfterGap }: Track): void {
  const { context, colours } = canvas
  const at = placer(canvas)
  context.strokeStyle = colours.gap
  context.lineWidth = 2
  context.setLineDash([2, 7])
  context.beginPath()
  for (let i = 1; i < xs.length; i++) {
    if (!isAfterGap[i]) continue
    context.moveTo(...at(xs[i - 1] as number, ys[i - 1] as number))
    context.lineTo(...at(xs[i] as number, ys[i] as number))
  }
  context.stroke()
  context.setLineDash([])
}
