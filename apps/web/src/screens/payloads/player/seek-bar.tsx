import type { CommentDuration } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Group, Text } from '@mantine/core'
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { formatDuration } from '../../../ui/time-format.ts'
import { type Playback, type PlaybackView } from './playback.ts'
import classes from './player.module.css'

/** Mouse movement in pixels that makes a drag. */
const DRAGGED = 5
/** Grab area around the playhead in pixels, and the strip below the waveform that always grabs it. */
const KNOB = 12
const STRIP = 20

/** Mouse on the waveform: a drag selects a range, a click seeks. The playhead and touch input keep their own behaviour. */
function dragPart(
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
function between(one: number, other: number): CommentDuration {
  const tenths = (seconds: number) => Math.floor(seconds * 10)
  const [start, end] = [tenths(Math.min(one, other)), tenths(Math.max(one, other))]
  return { start_time: start / 10, duration: (end - start) / 10 }
}

/** Slider step of a key, in seconds. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -5,
  ArrowDown: -5,
  ArrowRight: 5,
  ArrowUp: 5,
  PageDown: -30,
  PageUp: 30,
}

/**
 * Slider over the waveform, with elapsed and total time below.
 * @param stated duration in seconds, as in lists and header
 * @param onMean receives a dragged range; absent: dragging moves the playhead
 * @param children the waveform, or nothing
 */
export function SeekBar({
  playback,
  view,
  disabled,
  stated,
  onMean,
  children,
}: {
  playback: Playback
  view: PlaybackView
  disabled: boolean
  stated: number
  onMean: ((part: CommentDuration) => void) | undefined
  children: ReactNode
}) {
  const { t, i18n } = useLingui()
  const { position, duration } = view
  const [elapsed, whole] = [spokenTime(position, i18n), spokenTime(stated, i18n)]
  const isAtEnd = duration > 0 && position >= duration
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    playback.skip(step)
  }
  return (
    <div>
      <div className={classes.axis}>
        {children}
        <input
          type="range"
          className={classes.seek}
          style={{ ['--played' as string]: duration > 0 ? position / duration : 0 }}
          aria-label={t`Position in the recording`}
          aria-valuetext={t`${elapsed} of ${whole}`}
          min={0}
          max={Math.max(duration, 0.1)}
          step={0.1}
          value={Math.min(position, duration)}
          disabled={disabled}
          onKeyDown={onKeyDown}
          onMouseDown={(event) => onMean && dragPart(event, view, { seek: playback.seek, mean: onMean })}
          onChange={(event) => playback.seek(Number(event.currentTarget.value))}
        />
      </div>
      <Group gap="sm" wrap="nowrap" justify="space-between">
        <Text span className="tabular" size="sm">
          {formatDuration(isAtEnd ? stated : Math.floor(position))}
        </Text>
        <Text span className="tabular" size="sm" c="dimmed">
          {formatDuration(stated)}
        </Text>
      </Group>
    </div>
  )
}

/** A position as text for screen readers: `2 minutes 5 seconds`. */
function spokenTime(seconds: number, i18n: I18n): string {
  const whole = Math.max(0, Math.round(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return [
    hours > 0 && i18n._(msg`${plural(hours, { one: '# hour', other: '# hours' })}`),
    minutes > 0 && i18n._(msg`${plural(minutes, { one: '# minute', other: '# minutes' })}`),
    (rest > 0 || whole === 0) && i18n._(msg`${plural(rest, { one: '# second', other: '# seconds' })}`),
  ]
    .filter((part) => part !== false)
    .join(' ')
}
