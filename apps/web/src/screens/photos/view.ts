/** View of a photo: zoom, pan and rotation. */
export interface View {
  /** Screen pixels per photo pixel; `fit`: as large as the frame. */
  zoom: number | 'fit'
  /** Offset of its centre from the frame's centre, in screen pixels. */
  x: number
  y: number
  /** Quarter turns, clockwise. */
  turns: number
}
export interface Size {
  width: number
  height: number
}

export const FIT: View = { zoom: 'fit', x: 0, y: 0, turns: 0 }
const STEP = 1.25
const MAX = 8
const MIN = 0.02

/** Zoom at which the photo fits the frame, at most 1. */
export function getFit(photo: Size, frame: Size, turns: number): number {
  const [width, height] = turns % 2 === 0 ? [photo.width, photo.height] : [photo.height, photo.width]
  if (width === 0 || height === 0) return 1
  return Math.min(1, frame.width / width, frame.height / height)
}

export const getZoom = ({ zoom, turns }: View, photo: Size, frame: Size): number =>
  zoom === 'fit' ? getFit(photo, frame, turns) : zoom

/** Zooms in (1) or out (-1) around the frame's centre. */
export function zoomed(view: View, by: 1 | -1, photo: Size, frame: Size): View {
  const before = getZoom(view, photo, frame)
  const zoom = Math.min(MAX, Math.max(MIN, by > 0 ? before * STEP : before / STEP))
  const share = zoom / before
  return within({ ...view, zoom, x: view.x * share, y: view.y * share }, photo, frame)
}

/** Original size. */
export const whole = (view: View, photo: Size, frame: Size): View =>
  within({ ...view, zoom: 1, x: 0, y: 0 }, photo, frame)

export const turned = (view: View): View => ({ ...view, turns: (view.turns + 1) % 4, x: 0, y: 0 })

/** Pans, limited so that a larger photo covers the frame. */
export function moved(view: View, x: number, y: number, photo: Size, frame: Size): View {
  return within({ ...view, x: view.x + x, y: view.y + y }, photo, frame)
}

function within(view: View, photo: Size, frame: Size): View {
  const zoom = getZoom(view, photo, frame)
  const [width, height] = view.turns % 2 === 0 ? [photo.width, photo.height] : [photo.height, photo.width]
  const keep = (at: number, size: number, room: number) => {
    const most = Math.max(0, (size * zoom - room) / 2)
    return Math.min(most, Math.max(-most, at))
  }
  return { ...view, x: keep(view.x, width, frame.width), y: keep(view.y, height, frame.height) }
}
