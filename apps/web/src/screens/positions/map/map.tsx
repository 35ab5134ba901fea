import { useLingui } from '@lingui/react/macro'
import { ActionIcon, useComputedColorScheme } from '@mantine/core'
import {
  type Dispatch,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  type SetStateAction,
  useEffect,
  useRef,
  useState,
} from 'react'
import { Icon } from '../../../ui/icon.tsx'
import { drawBasemap, MAP_COLOURS, type MapColours } from './draw-basemap.ts'
import type { MapLayer } from './layer.ts'
import classes from './map.module.css'
import { type Bounds, type Camera, cameraFor, metresPerPixel, moved, scaleOf, zoomed } from './projection.ts'
import { type Basemap, loadBasemap } from './basemap.ts'

/** A provider's map in tiles of 256 pixels. */
export interface Tiles {
  /** URL template with `{z}`, `{x}` and `{y}`. */
  address: string
  attribution: string
}

/** Cached tiles. */
const TILES_MOST = 400
const MOST_LEVEL = 19
const pictures = new Map<string, HTMLImageElement>()

/** Draws cached tiles and requests missing ones; `onArrived` runs when one loads. */
function drawTiles(
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
  if (pictures.size > TILES_MOST && oldest !== undefined) pictures.delete(oldest)
  return picture
}

/** Maximum bar width in pixels. */
const MOST = 110

/** Scale bar: the longest round length that fits. */
function ScaleBar({ camera }: { camera: Camera }) {
  const { i18n } = useLingui()
  const metres = metresPerPixel(camera)
  const length = roundBelow(metres * MOST)
  const words = i18n.number(length >= 1000 ? length / 1000 : length, {
    style: 'unit',
    unit: length >= 1000 ? 'kilometer' : 'meter',
  })
  return (
    <div className={classes.scale} style={{ width: length / metres }}>
      {words}
    </div>
  )
}

/** Rounds down to 1, 2 or 5 times a power of ten. */
function roundBelow(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length))
  return power * (length >= 5 * power ? 5 : length >= 2 * power ? 2 : 1)
}

/** The whole map without the polar regions. */
const WHOLE_MAP: Bounds = { left: 0.05, top: 0.15, right: 0.95, bottom: 0.75 }
/** Pixels per arrow key. */
const STEP = 80

interface MapProps {
  label: string
  fit?: Bounds | undefined
  draw: (layer: MapLayer) => void
  drawMoment?: ((layer: MapLayer) => void) | undefined
  tiles?: Tiles | undefined
  children?: ReactNode
}

/**
 * A map controlled by mouse, touch, arrow keys and buttons. Land, borders and names are local; `tiles` adds a
 * provider's streets.
 * @param fit bounds to show, at first and on change
 * @param draw layers that ignore time
 * @param drawMoment layers that change with time
 */
export function MapView({ label, fit = WHOLE_MAP, draw, drawMoment, tiles, children }: MapProps) {
  const { frame, size } = useFrame()
  const [camera, setCamera] = useState<Camera>({ x: 0.5, y: 0.4, zoom: 1 })
  const shows = `${fit.left} ${fit.top} ${fit.right} ${fit.bottom}`
  const refit = () => setCamera(cameraFor(fit, size.width, size.height))
  const isSized = size.width > 0
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- a map that was resized stays where it was moved to
  useEffect(() => void (isSized && refit()), [shows, isSized])

  const { still, moving } = useLayers({ draw, drawMoment, tiles }, size, camera)
  const gestures = useGestures(frame, setCamera)
  return (
    <div className={classes.map}>
      {/* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions -- arrow keys move the map */}
      <div
        ref={frame}
        className={classes.frame}
        tabIndex={0}
        role="application"
        aria-label={label}
        {...gestures}
      >
        <canvas ref={still} className={classes.canvas} aria-hidden="true" />
        <canvas ref={moving} className={classes.canvas} aria-hidden="true" />
      </div>
      {/* oxlint-enable */}
      <ZoomButtons onZoom={(by) => setCamera((shown) => zoomed(shown, by))} onFit={refit} />
      <ScaleBar camera={camera} />
      <p className={classes.credit}>{tiles?.attribution ?? 'Natural Earth · GeoNames (CC BY 4.0)'}</p>
      {children}
    </div>
  )
}

/** The map's frame and its size. */
function useFrame() {
  const frame = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {}
      setSize({ width, height })
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { frame, size }
}

/** Canvases of the map: the basemap with what ignores time, and what changes with it. */
function useLayers(
  { draw, drawMoment, tiles }: Pick<MapProps, 'draw' | 'drawMoment' | 'tiles'>,
  size: { width: number; height: number },
  camera: Camera,
) {
  const colours = MAP_COLOURS[useComputedColorScheme('light')]
  const basemap = useBasemap()
  const [arrived, setArrived] = useState(0)
  const still = useRef<HTMLCanvasElement>(null)
  const moving = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const layer = layerOf(still.current, size, camera, colours)
    if (!layer) return
    drawBasemap(layer.context, basemap, camera, size, colours)
    if (tiles) drawTiles(layer, tiles, () => setArrived((count) => count + 1))
    draw(layer)
  }, [draw, tiles, arrived, basemap, size, camera, colours])
  useEffect(() => {
    const layer = layerOf(moving.current, size, camera, colours)
    if (layer) drawMoment?.(layer)
  }, [drawMoment, size, camera, colours])

  return { still, moving }
}

/** Moves and zooms the map by pointers, wheel and keys. */
function useGestures(frame: RefObject<HTMLElement | null>, setCamera: Dispatch<SetStateAction<Camera>>) {
  const pointers = useRef(new Map<number, { x: number; y: number }>())
  const onPointerDown = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY })
  }
  const onPointerMove = (event: PointerEvent) => {
    const before = pointers.current.get(event.pointerId)
    if (!before) return
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1]
    const now = { x: event.clientX, y: event.clientY }
    pointers.current.set(event.pointerId, now)
    if (other) {
      const by = Math.log2(
        Math.max(1, Math.hypot(now.x - other.x, now.y - other.y)) /
          Math.max(1, Math.hypot(before.x - other.x, before.y - other.y)),
      )
      setCamera((shown) => zoomed(shown, by))
    } else setCamera((shown) => moved(shown, before.x - now.x, before.y - now.y))
  }
  const onPointerUp = (event: PointerEvent) => pointers.current.delete(event.pointerId)
  useEffect(() => {
    const element = frame.current
    // React registers wheel listeners as passive; the page would scroll too.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const box = (event.currentTarget as Element).getBoundingClientRect()
      const [dx, dy] = [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2]
      setCamera((shown) => zoomed(shown, -event.deltaY / 300, dx, dy))
    }
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  }, [frame, setCamera])
  const onKeyDown = (event: KeyboardEvent) => {
    const act = KEYS[event.key]
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    setCamera(act)
  }
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp, onKeyDown }
}

function ZoomButtons({ onZoom, onFit }: { onZoom: (by: 1 | -1) => void; onFit: () => void }) {
  const { t } = useLingui()
  return (
    <div className={classes.buttons}>
      <ActionIcon variant="default" aria-label={t`Zoom in`} onClick={() => onZoom(1)}>
        <Icon name="plus" />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={t`Zoom out`} onClick={() => onZoom(-1)}>
        <Icon name="minus" />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={t`Show all`} onClick={onFit}>
        <Icon name="arrows-out" />
      </ActionIcon>
    </div>
  )
}

const KEYS: Readonly<Record<string, (camera: Camera) => Camera>> = {
  ArrowLeft: (camera) => moved(camera, -STEP, 0),
  ArrowRight: (camera) => moved(camera, STEP, 0),
  ArrowUp: (camera) => moved(camera, 0, -STEP),
  ArrowDown: (camera) => moved(camera, 0, STEP),
  '+': (camera) => zoomed(camera, 1),
  '=': (camera) => zoomed(camera, 1),
  '-': (camera) => zoomed(camera, -1),
}

/** An empty canvas of its element's size at device resolution. */
function layerOf(
  canvas: HTMLCanvasElement | null,
  { width, height }: { width: number; height: number },
  camera: Camera,
  colours: MapColours,
): MapLayer | undefined {
  const context = canvas?.getContext('2d')
  if (!canvas || !context || width === 0) return undefined
  const fine = Math.min(2, window.devicePixelRatio || 1)
  const [wide, high] = [Math.round(width * fine), Math.round(height * fine)]
  if (canvas.width !== wide) canvas.width = wide
  if (canvas.height !== high) canvas.height = high
  context.setTransform(fine, 0, 0, fine, 0, 0)
  context.clearRect(0, 0, width, height)
  return { context, camera, width, height, colours }
}

/** The basemap once loaded. On failure tracks are drawn without it; the next map retries. */
function useBasemap(): Basemap | undefined {
  const [basemap, setBasemap] = useState<Basemap>()
  useEffect(() => {
    let isWanted = true
    loadBasemap().then(
      (loaded) => isWanted && setBasemap(loaded),
      () => undefined,
    )
    return () => {
      isWanted = false
    }
  }, [])
  return basemap
}
