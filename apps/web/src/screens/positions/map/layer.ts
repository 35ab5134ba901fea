import type { MapColours } from './draw-basemap.ts'
import type { Camera } from './projection.ts'

/** A drawing layer of the map, in CSS pixels. */
export interface MapLayer {
  context: CanvasRenderingContext2D
  camera: Camera
  width: number
  height: number
  colours: MapColours
}
