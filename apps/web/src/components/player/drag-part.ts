import type { CommentDuration } from '@custodia/contract'
import type { MouseEvent } from 'react'

/** Pixels that a mouse moves before it means a part and not a place. */
const DRAGGED = 5
/** Pixels beside the playhead that take hold of it, and the strip below the picture in which it is always taken hold of. */
const KNOB = 12
const STRIP = 20

/**
 * A press on the picture of a recording: dragged on, it means a part; let go at once, a place. The playhead itself is moved as ever, and
 * so is everything without a mouse.
 */
export function dragPart(
  event: MouseEvent<HTMLInputElement>,
  { position, duration }: { position: number; duration: number },
  on: { seek: (seconds: number) => void; mean: (part: CommentDuration) => void },
): void {
  const slider = event.currentTarget
  const axis = slider.parentElement?.getBoundingClientRect()
  if (axis === undefined || event.button !== 0 || duration <= 0) return
  const isOnKnob = Math.abs(event.clientX - (axis.left + (position / duration) * axis.width)) < KNOB
  if (isOnKnob || event.clientY > axis.bottom - STRIP) return
  event.preventDefault()
  slider.focus()
  const from = event.clientX
  const secondsAt = (x: number) => Math.min(1, Math.max(0, (x - axis.left) / axis.width)) * duration
  let isDragged = false
  const onMove = ({ clientX }: globalThis.MouseEvent) => {
    isDragged ||= Math.abs(clientX - from) >= DRAGGED
    if (isDragged) on.mean(between(secondsAt(from), secondsAt(clientX)))
  }
  const onUp = ({ clientX }: globalThis.MouseEvent) => {
    removeEventListener('mousemove', onMove)
    removeEventListener('mouseup', onUp)
    if (!isDragged) on.seek(secondsAt(clientX))
  }
  addEventListener('mousemove', onMove)
  addEventListener('mouseup', onUp)
}

/** The part between two places, whichever comes first, to the tenth of a second and never beyond them. */
export function between(one: number, other: number): CommentDuration {
  const tenths = (seconds: number) => Math.floor(seconds * 10)
  const [start, end] = [tenths(Math.min(one, other)), tenths(Math.max(one, other))]
  return { start_time: start / 10, duration: (end - start) / 10 }
}
