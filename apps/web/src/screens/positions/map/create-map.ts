import { Map as MapLibreMap, ScaleControl, setWorkerUrl } from 'maplibre-gl'
// A file of our own origin: the content security policy permits no worker from a blob.
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url'
import type { MapColours } from './colours.ts'

setWorkerUrl(new URL(workerUrl, window.location.origin).href)

export { addProtocol } from 'maplibre-gl'

/** Pixels of the canvas for one pixel of an icon. */
const RATIO = 2

/**
 * A map without a style in an element. Throws where the browser has no WebGL.
 * @param label for screen readers
 */
export function createMap(container: HTMLElement, label: string): MapLibreMap {
  const map = new MapLibreMap({
    container,
    attributionControl: false,
    dragRotate: false,
    touchPitch: false,
    maxPitch: 0,
    maxZoom: 19,
    center: [0, 25],
    zoom: 0.5,
    renderWorldCopies: false,
    locale: { 'Map.Title': label },
  })
  map.keyboard.disableRotation()
  map.touchZoomRotate.disableRotation()
  map.addControl(new ScaleControl({ maxWidth: 110 }), 'bottom-left')
  return map
}

/** Gives the map an icon of its layers when the shown style asks for it; a new style forgets all. */
export function addIcon(map: MapLibreMap, wanted: string, colours: MapColours): void {
  const add = (
    name: string,
    size: number,
    colour: string,
    draw: (context: CanvasRenderingContext2D) => void,
  ) => {
    if (name !== wanted || map.hasImage(name)) return
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = size * RATIO
    const context = canvas.getContext('2d')
    if (!context) return
    context.scale(RATIO, RATIO)
    context.translate(size / 2, size / 2)
    context.fillStyle = colour
    context.strokeStyle = colours.halo
    context.lineWidth = 2
    context.beginPath()
    draw(context)
    context.closePath()
    context.fill()
    context.stroke()
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height)
    map.addImage(name, { data, width, height }, { pixelRatio: RATIO })
  }
  add('place', 6, colours.label, (context) => context.arc(0, 0, 2, 0, 2 * Math.PI))
  add('stop', 14, colours.stop, (context) => context.rect(-5, -5, 10, 10))
  // Shape alone distinguishes recordings from stops.
  add('recording', 20, colours.recording, (context) => {
    context.moveTo(0, -8)
    context.lineTo(7, 5)
    context.lineTo(-7, 5)
  })
}
