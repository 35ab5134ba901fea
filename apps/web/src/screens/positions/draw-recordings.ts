import type { MapLayer } from './map/layer.ts'
import { worldX, worldY } from './map/projection.ts'
import { placer } from './draw-track.ts'
import type { PlacedRecording } from './use-recordings.ts'

/** Draws recordings as triangles, so that shape alone distinguishes them from stops. */
export function drawRecordings(layer: MapLayer, recordings: readonly PlacedRecording[]): void {
  const { context, colours } = layer
  const at = placer(layer)
  context.fillStyle = colours.recording
  context.strokeStyle = colours.halo
  context.lineWidth = 2
  for (const { place } of recordings) {
    const [x, y] = at(worldX(place.longitude), worldY(place.latitude))
    context.beginPath()
    context.moveTo(x, y - 8)
    context.lineTo(x + 7, y + 5)
    context.lineTo(x - 7, y + 5)
    context.closePath()
    context.fill()
    context.stroke()
  }
}
