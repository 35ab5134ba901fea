import type { CommentDuration } from '@custodia/contract'
import type { MouseEvent } from 'react'

/** Mouse movement in pixels that makes a drag. */
const DRAGGED = 5
/** Grab area around the playhead in pixels, and the strip below the waveform that always grabs it. */
const KNOB = 12
const STRIP = 20

/** Mouse on the waveform: a drag selects a range, a click seeks. The playhead and touch input keep their own behaviour. */
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

/** Range between two positions in either order, to 0.1 s and within the recording. */
export function between(one: number, other: number): CommentDuration {
  const tenths = (seconds: number) => Math.floor(seconds * 10)
  const [start, end] = [tenths(Math.min(one, other)), tenths(Math.max(one, other))]
  return { start_time: start / 10, duration: (end - start) / 10 }
}
